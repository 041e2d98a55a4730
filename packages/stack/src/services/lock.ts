// A lock of this machine that is free again when its holder ends, however it ends.

import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { until } from './daemon.ts';

/** Longer than any command takes. */
const waitMs = 150_000;

/**
 * Does the work while nobody else on this machine does any under the same name. The lock is a socket that has a name
 * but no file: the kernel frees it with its holder, so a command that was shot leaves no lock behind.
 */
export async function withLock<T>(name: string, work: () => Promise<T>, timeoutMs = waitMs): Promise<T> {
  let lock: Lock | undefined;
  const take = async () => {
    lock = await tryLock(name);
    return lock !== undefined;
  };
  if (!(await until(take, timeoutMs, 50))) {
    lock?.release();
    throw new Error(`another command still works on ${name}`);
  }
  try {
    return await work();
  } finally {
    lock?.release();
  }
}

export type Lock = { release(): void };

/** Takes the lock at once, or returns nothing: another holds it. */
export async function tryLock(name: string): Promise<Lock | undefined> {
  // The names of sockets are short.
  const server = await listen(`\0pilothouse-${createHash('sha256').update(name).digest('hex')}`);
  return server && { release: () => void server.close() };
}

async function listen(name: string): Promise<Server | undefined> {
  const server = createServer((socket) => socket.destroy());
  server.listen(name);
  try {
    await once(server, 'listening');
    return server;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') return undefined;
    throw error;
  }
}
