import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** On a loopback port that is free; `close` does not wait for those who stay connected. */
export async function listen(server: Server): Promise<{ url: string; close(): Promise<void> }> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    // Listening on TCP, so the address is of this kind.
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
