// One address that leads to one of several servers, as a load balancer or a name does: it can be moved, and cut.

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export type TcpSwitch = {
  port: number;
  /** From now on to this port of this machine; without one, nobody is let through. Connections to another one are cut. */
  moveTo(target: number | undefined): void;
  close(): void;
};

export async function startTcpSwitch(first?: number): Promise<TcpSwitch> {
  let target = first;
  const sockets = new Set<Socket>();
  const cutAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  const server = createServer((near) => {
    if (target === undefined) return void near.destroy();
    const far = connect(target, '127.0.0.1');
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      // Either end may reset it at any moment.
      one.setNoDelay(true).on('error', () => one.destroy());
      one.once('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
    near.pipe(far).pipe(near);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  // Listening on TCP, so the address is of this kind.
  const { port } = server.address() as AddressInfo;
  return {
    port,
    moveTo(next) {
      target = next;
      cutAll();
    },
    close() {
      cutAll();
      server.close();
    },
  };
}
