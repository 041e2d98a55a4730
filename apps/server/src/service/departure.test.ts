import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { it } from 'node:test';
import { createLog } from '@pilothouse/process';
import { startTestServer } from '../../testing/server.ts';
import { createDeparture, stopListening } from './departure.ts';

const log = createLog('server', 'fatal');

it('a server that is told to end says so while it still answers, and keeps no connection', async () => {
  const departure = createDeparture({ drainMs: 0, log });
  const server = await startTestServer({ isAuthDisabled: true, departure });
  try {
    const ask = (path: string) => fetch(server.baseUrl + path);
    assert.equal((await ask('/api/ready')).status, 200);
    await departure.begin(new AbortController().signal);
    assert.equal((await ask('/api/ready')).status, 503);
    const answer = await ask('/api/sessions');
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('connection'), 'close');
  } finally {
    await server.close();
  }
});

it('what has reached a server that stops to listen is answered, and what comes later is refused', async () => {
  for (let round = 0; round < 10; round += 1) {
    const server = createServer((_request, response) => setTimeout(() => response.end('done'), 20));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo; // it listens on TCP
    const ask = async () => {
      const [response] = (await once(get({ port, host: '127.0.0.1', agent: false }), 'response')) as [IncomingMessage];
      response.resume();
      await once(response, 'end');
      return 'answered';
    };
    // All of them reach the kernel; some are taken only after the word to stop.
    const asked = Array.from({ length: 30 }, () => ask().catch((error) => String(error.code)));
    await new Promise(setImmediate);
    const { ended } = await stopListening(server);
    const outcomes = new Set(await Promise.all(asked));
    await ended;
    outcomes.delete('answered');
    outcomes.delete('ECONNREFUSED');
    assert.deepEqual([...outcomes], []);
    assert.equal(await ask().catch((error) => error.code), 'ECONNREFUSED');
  }
});
