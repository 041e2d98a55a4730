import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createHostTransport } from './host-transport.ts';
import { openPipe } from './pipe.ts';

function open() {
  const [toChromium, fromChromium] = [new PassThrough(), new PassThrough()];
  const heard: string[] = [];
  let closed = 0;
  const pipe = openPipe(
    { toChromium, fromChromium },
    {
      onMessage: (message) => heard.push(message.toString()),
      onClose: () => {
        closed += 1;
      },
    },
  );
  return { pipe, toChromium, fromChromium, heard, closes: () => closed };
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
