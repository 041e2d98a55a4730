// Finds free ports on loopback, and asks whether a port is listened on.

import { randomInt } from 'node:crypto';
import { connect, createServer } from 'node:net';

const [lowest, highest] = [15_000, 32_000];

/**
 * A loopback port that nobody listens on right now, and that no other process was given by this function; the port after
 * it is free too, for a second server. From below the range the system lends to outgoing connections: a client that keeps
 * asking for a port of that range whose server is down can end up connected to itself.
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < 100; tries++) {
    const port = lowest + 2 * randomInt((highest - lowest) / 2);
    if ((await claim(port)) && (await canListen(port)) && (await canListen(port + 1))) return port;
  }
  throw new Error('found no free port');
}

/**
 * A process listens on its port only some seconds after it was given it. Until this process ends, it holds an abstract
 * socket of Linux named after the port, so that no other process is given the port. Such a socket leaves no file behind.
 */
function claim(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer().unref();
    server.once('error', () => resolve(false));
    server.listen(`\0pilothouse-port-${port}`, () => resolve(true));
  });
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
