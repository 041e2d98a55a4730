import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createHostTransport } from './host-transport.ts';
import { openPipe } from './pipe.ts';
import { sessionOf } from './raw-message.ts';

function open(options = {}) {
  const [toChromium, fromChromium] = [new PassThrough(), new PassThrough()];
  const heard: string[] = [];
  const tooLong: string[][] = [];
  let closed = 0;
  const pipe = openPipe(
    { toChromium, fromChromium },
    {
      onMessage: (message) => heard.push(message.toString()),
      onTooLong: (head, tail) => tooLong.push([head.toString(), tail.toString()]),
      onClose: () => {
        closed += 1;
      },
    },
    options,
  );
  return { pipe, toChromium, fromChromium, heard, tooLong, closes: () => closed };
}

describe('the pipe to Chromium', () => {
  it('hands over whole messages, however they are cut on their way', async () => {
    const said = ['{"id":1}', '{"id":2,"result":{"text":"Zoë"}}', '{"method":"a"}'];
    const bytes = Buffer.from(said.map((one) => `${one}\0`).join(''));
    for (let size = 1; size <= bytes.length; size += 1) {
      const { fromChromium, heard } = open();
      for (let at = 0; at < bytes.length; at += size) fromChromium.write(bytes.subarray(at, at + size));
      await nextTurn();
      assert.deepEqual(heard, said, `in pieces of ${size}`);
    }
  });

  it('keeps only the edges of a message that is too long, and goes on with the next', async () => {
    const long = JSON.stringify({ id: 7, result: 'x'.repeat(4000), sessionId: 'A'.repeat(32) });
    const bytes = Buffer.from(`{"id":1}\0${long}\0{"id":2}\0`);
    for (const size of [1, 7, 255, 256, 257, 1000, bytes.length]) {
      const { fromChromium, heard, tooLong } = open({ maxBytes: 1000 });
      for (let at = 0; at < bytes.length; at += size) fromChromium.write(bytes.subarray(at, at + size));
      await nextTurn();
      assert.deepEqual(heard, ['{"id":1}', '{"id":2}'], `in pieces of ${size}`);
      const [[head = '', tail = ''] = []] = tooLong;
      assert.ok(tooLong.length === 1 && long.startsWith(head) && head !== '' && long.endsWith(tail));
      assert.equal(sessionOf(Buffer.from(tail)), 'A'.repeat(32));
    }
  });

  it('ends each message it sends', () => {
    const { pipe, toChromium } = open();
    pipe.send('{"id":1}');
    assert.equal(String(toChromium.read()), '{"id":1}\0');
  });

  it('says once that it is closed, forgets what had begun, and takes no more', async () => {
    const { pipe, fromChromium, heard, closes } = open();
    fromChromium.write('{"id":1}\0{"id":2');
    await nextTurn();
    fromChromium.destroy(new Error('broken'));
    await nextTurn();
    assert.deepEqual([heard, closes(), pipe.isClosed()], [['{"id":1}'], 1, true]);
    assert.throws(() => pipe.send('{}'), /closed/);
  });
});

describe("the host's end of the pipe", () => {
  const quiet = { send: () => {}, end: async () => {} };

  it('lets the library finish with one message before it gets the next', async () => {
    const host = createHostTransport(quiet);
    const order: string[] = [];
    host.transport.onmessage = async (message) => {
      const { id } = message as { id: number };
      order.push(`begins ${id}`);
      await undefined;
      order.push(`ends ${id}`);
    };
    host.deliver(Buffer.from('{"id":1}'));
    host.deliver(Buffer.from('{"id":2}'));
    assert.deepEqual(order, []);
    await nextTurn();
    assert.deepEqual(order, ['begins 1', 'ends 1', 'begins 2', 'ends 2']);
  });

  it('tells a library that listens late that the browser is gone', async () => {
    const host = createHostTransport(quiet);
    host.closed();
    await nextTurn();
    let closes = 0;
    host.transport.onclose = () => {
      closes += 1;
    };
    assert.equal(closes, 1);
  });
});
