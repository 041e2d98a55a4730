// A way to the bus that can be cut: what connects through it loses its connections, and gets no new ones for a time.

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export async function startBusProxy() {
  let target: { host: string; port: number } | undefined;
  let isCut = false;
  const sockets = new Set<Socket>();
  const track = (socket: Socket) => {
    sockets.add(socket);
    // Either end may reset it at any moment.
    socket.on('error', () => socket.destroy()).once('close', () => sockets.delete(socket));
  };
  const server = createServer((near) => {
    if (isCut || !target) return void near.destroy();
    const far = connect(target);
    for (const socket of [near, far]) track(socket);
    near.pipe(far).pipe(near);
    near.once('close', () => far.destroy());
    far.once('close', () => near.destroy());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  // Listening on TCP, so the address is of this kind.
  const { port } = server.address() as AddressInfo;

  return {
    /** The address that leads through here to this one. */
    to(url: string): string {
      const { hostname, port: targetPort } = new URL(url);
      target = { host: hostname, port: Number(targetPort) };
      return `nats://127.0.0.1:${port}`;
    },
    async cut(ms: number): Promise<void> {
      isCut = true;
      for (const socket of sockets) socket.destroy();
      await sleep(ms);
      isCut = false;
    },
    async close(): Promise<void> {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
