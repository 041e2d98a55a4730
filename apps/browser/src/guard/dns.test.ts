import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { test } from 'node:test';
import { cached, openResolver, withKnownNames } from './dns.ts';

type Records = { ipv4?: number[][]; ipv6?: number[][]; isSilent?: boolean };

/** A name server on loopback that knows a few names, and how often it was asked. */
async function startNameServer(records: Record<string, Records>) {
  const asked: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (query, { port }) => {
    const { name, end, type } = readQuestion(query);
    asked.push(`${name} ${type}`);
    const known = records[name];
    if (known?.isSilent) return;
    const data = (type === 1 ? known?.ipv4 : known?.ipv6) ?? [];
    const header = Buffer.from(query.subarray(0, 12));
    // An answer; recursion available; no such name.
    header.writeUInt16BE(known ? 0x8180 : 0x8183, 2);
    header.writeUInt16BE(data.length, 6);
    header.writeUInt32BE(0, 8);
    const answers = data.map((bytes) => Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, bytes.length, ...bytes]));
    socket.send(Buffer.concat([header, query.subarray(12, end), ...answers]), port, '127.0.0.1');
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return { address: `127.0.0.1:${socket.address().port}`, asked, [Symbol.dispose]: () => void socket.close() };
}

function readQuestion(query: Buffer): { name: string; end: number; type: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length).toLowerCase());
    at += 1 + length;
  }
  return { name: labels.join('.'), end: at + 5, type: query.readUInt16BE(at + 1) };
}

test('all addresses of a name are found, of both kinds', async () => {
  const ipv6 = [0x26, 0x06, 0x47, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x11, 0x11];
  using server = await startNameServer({
    'both.test': {
      ipv4: [
        [93, 184, 216, 34],
        [10, 0, 0, 1],
      ],
      ipv6: [ipv6],
    },
    'four.test': { ipv4: [[93, 184, 216, 34]] },
    'six.test': { ipv6: [ipv6] },
  });
  const names = openResolver({ timeoutMs: 2000, servers: [server.address] });
  assert.deepEqual(await names.resolve('both.test'), ['93.184.216.34', '10.0.0.1', '2606:4700::1111']);
  assert.deepEqual(await names.resolve('four.test'), ['93.184.216.34']);
  assert.deepEqual(await names.resolve('six.test'), ['2606:4700::1111']);
  await assert.rejects(names.resolve('none.test'));
  names.close();
});

test('a name server that is silent is given up, and closing ends the wait', async () => {
  using server = await startNameServer({ 'silent.test': { isSilent: true } });
  const names = openResolver({ timeoutMs: 300, servers: [server.address] });
  await assert.rejects(names.resolve('silent.test'));
  const patient = openResolver({ timeoutMs: 600_000, servers: [server.address] });
  const waiting = assert.rejects(patient.resolve('silent.test'));
  patient.close();
  await waiting;
  names.close();
});

test('an address is its own answer and localhost is never asked for', async () => {
  const resolve = withKnownNames(() => Promise.reject(new Error('asked')));
  assert.deepEqual(await resolve('8.8.8.8'), ['8.8.8.8']);
  assert.deepEqual(await resolve('::1'), ['::1']);
  assert.deepEqual(await resolve('localhost'), ['127.0.0.1', '::1']);
  assert.deepEqual(await resolve('a.localhost'), ['127.0.0.1', '::1']);
  await assert.rejects(resolve('localhost.test'), /asked/);
});

test('an answer is kept for a while, a failure is not, and there is an end to how many', async () => {
  let asked = 0;
  const resolve = cached(
    async (name) => {
      asked += 1;
      if (name === 'bad.test') throw new Error('no');
      return [`${asked}`];
    },
    { forMs: 60_000, atMost: 2 },
  );
  assert.deepEqual([await resolve('a.test'), await resolve('a.test')], [['1'], ['1']]);
  await assert.rejects(resolve('bad.test'));
  await assert.rejects(resolve('bad.test'));
  assert.equal(asked, 3);
  await resolve('b.test');
  await resolve('c.test');
  assert.deepEqual(await resolve('a.test'), ['6'], 'the oldest was forgotten');
});
