import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { AppError } from '@pilothouse/contract';
import { createReadsInTurn } from './reads-in-turn.ts';

describe('reads of one caller', () => {
  let server: Server;
  const sockets: Socket[] = [];
  before(async () => {
    server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  after(async () => {
    for (const socket of sockets) socket.destroy();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  /** An answer that a client waits for on an open connection. */
  async function asked(): Promise<{ response: ServerResponse; socket: Socket }> {
    const request = once(server, 'request');
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    sockets.push(socket);
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    const [, response] = (await request) as [unknown, ServerResponse];
    return { response, socket };
  }
  /** A read that ends when it is told to. */
  function held() {
    const { promise, resolve } = Promise.withResolvers<void>();
    return { read: () => promise, end: resolve };
  }

  it('take turns in their order, and those of another do not wait for them', async () => {
    const turns = createReadsInTurn({ atOnce: 2 });
    const { response } = await asked();
    const done: string[] = [];
    const reads = ['a', 'b', 'c', 'd'].map((name) => ({ name, ...held() }));
    let most = 0;
    let running = 0;
    const all = reads.map(({ name, read }) =>
      turns.run('one', response, async () => {
        running += 1;
        most = Math.max(most, running);
        await read();
        running -= 1;
        done.push(name);
      }),
    );
    assert.equal(await turns.run('other', response, () => 'at once'), 'at once');
    for (const [index, { end }] of reads.entries()) {
      end();
      await all[index];
    }
    assert.deepEqual(done, ['a', 'b', 'c', 'd']);
    assert.equal(most, 2);
  });

  it('are refused as overloaded where their turn does not come in time, and a failed one hands its turn on', async () => {
    const turns = createReadsInTurn({ atOnce: 1, waitMs: 50 });
    const { response } = await asked();
    const listeners = response.listenerCount('close');
    const slow = held();
    const first = turns.run('one', response, slow.read);
    await assert.rejects(
      turns.run('one', response, () => 'late'),
      (error) => error instanceof AppError && error.code === 'overloaded',
    );
    const next = turns.run('one', response, () => Promise.reject(new Error('broken')));
    const last = turns.run('one', response, () => 'served');
    slow.end();
    await first;
    await assert.rejects(next, /broken/);
    assert.equal(await last, 'served');
    assert.equal(response.listenerCount('close'), listeners, 'nothing is left that listens');
  });

  it('are not made for a client that has closed its connection', async () => {
    const turns = createReadsInTurn({ atOnce: 1 });
    const [stays, leaves] = [await asked(), await asked()];
    const slow = held();
    const first = turns.run('one', stays.response, slow.read);
    let isMade = false;
    const second = turns.run('one', leaves.response, () => {
      isMade = true;
    });
    leaves.socket.destroy();
    await assert.rejects(second, AppError);
    slow.end();
    await first;
    assert.equal(isMade, false);
    assert.equal(await turns.run('one', stays.response, () => 'next'), 'next');
  });
});
