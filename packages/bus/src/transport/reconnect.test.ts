import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { it } from 'node:test';
import { startNats } from '../../testing/nats.ts';
import { until } from '../../testing/wait.ts';
import { connectBus } from './connect.ts';

/** Much less than the time that a dial may take. */
const soonMs = 1500;

/** An address of a server that can die: its connections break, and `deaths` later ones in the middle of their greeting. */
async function startMortalNode(port: number) {
  let deaths = 0;
  const sockets = new Set<Socket>();
  const node = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on('error', () => one.destroy());
      one.once('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
    far.pipe(near);
    if (deaths === 0) return void near.pipe(far);
    deaths -= 1;
    // It has said who it is, and the client has signed in.
    near.once('data', () => near.destroy());
  });
  await once(node.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `nats://127.0.0.1:${(node.address() as AddressInfo).port}`,
    die(times: number): void {
      deaths = times;
      for (const socket of sockets) socket.destroy();
    },
    close(): void {
      for (const socket of sockets) socket.destroy();
      node.close();
    },
  };
}

it('a node that dies while it greets a process is left at once for another one', async () => {
  await using all = new AsyncDisposableStack();
  const nats = all.adopt(await startNats(), (one) => one.close());
  const startNode = async () => all.adopt(await startMortalNode(nats.port), (one) => one.close());
  const nodes = [await startNode(), await startNode()];
  const servers = nodes.map(({ url }) => url);
  const bus = all.adopt(await connectBus({ ...nats.as('server'), servers }), (one) => one.close({ timeoutMs: 100 }));
  assert.ok(await bus.ping({ timeoutMs: 2000 }));
  const back = new Promise<void>((resolve) => {
    let count = 0;
    bus.onBack(() => {
      count += 1;
      // Of both connections.
      if (count === 2) resolve();
    });
  });
  const from = performance.now();
  // Each of the two connections may meet both of them.
  for (const node of nodes) node.die(1);
  await until(() => !bus.isConnected());
  await back;
  const tookMs = Math.round(performance.now() - from);
  assert.ok(tookMs < soonMs, `${tookMs} ms`);
  assert.ok(await bus.ping({ timeoutMs: 2000 }));
});
