import { randomInt } from 'node:crypto';
import { connect, createServer } from 'node:net';

/**
 * A loopback port that nobody listens on right now. From below the range the system lends to outgoing connections:
 * a client that keeps asking for a port of that range whose server is down can end up connected to itself.
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < 100; tries++) {
    const port = randomInt(15_000, 32_000);
    if (await canListen(port)) return port;
  }
  throw new Error('found no free port');
}

function canListen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

export function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', timeout: 1000 });
    const answer = (yes: boolean) => {
      socket.destroy();
      resolve(yes);
    };
    socket.once('connect', () => answer(true));
    socket.once('timeout', () => answer(false));
    socket.once('error', () => answer(false));
  });
}
