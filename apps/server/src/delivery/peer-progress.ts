// How far the peers of connections have read their answers.

import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';

type Progress = {
  /** The most bytes that the peer was seen to have read. */
  taken: number;
  /** Since when it has read nothing although bytes waited; undefined if nothing waits. */
  waitingSince: number | undefined;
};

/**
 * A send buffer of the kernel holds megabytes, and takes more only when a third of it is free: seen from Node, a slow
 * reader can stand still for a minute. So the kernel is asked what it still holds, where it tells (Linux).
 */
export function createPeerProgress({ now = () => performance.now() } = {}) {
  const sockets = new Map<Socket, Progress>();

  return {
    follow(socket: Socket): void {
      sockets.set(socket, { taken: 0, waitingSince: undefined });
      socket.once('close', () => sockets.delete(socket));
    },

    /** Looks at all connections once. */
    async look(): Promise<void> {
      const asked = [...sockets].flatMap(([socket, progress]) => {
        const handed = handedToKernel(socket);
        if (handed > progress.taken || socket.writableLength > 0) return [{ socket, progress, handed }];
        progress.waitingSince = undefined;
        return [];
      });
      if (asked.length === 0) return;
      // Counted before the kernel is asked: bytes handed over in between can make the result too small, never too large.
      const held = await readKernelQueues();
      const at = now();
      for (const { socket, progress, handed } of asked) {
        const inKernel = held.get(keyOf(socket)) ?? 0;
        const hasMore = inKernel > 0 || socket.writableLength > 0;
        if (!hasMore) progress.waitingSince = undefined;
        else if (handed - inKernel > progress.taken) progress.waitingSince = at;
        else progress.waitingSince ??= at;
        progress.taken = Math.max(progress.taken, handed - inKernel);
      }
    },

    /** For how many milliseconds the peer has read nothing although bytes waited. */
    stalledMs(socket: Socket | null): number {
      const since = socket && sockets.get(socket)?.waitingSince;
      return since ? now() - since : 0;
    },

    sockets: () => sockets.keys(),
  };
}

/**
 * How many of the written bytes the kernel has taken. The socket counts a write when the whole of it is handed over; only
 * its handle knows how much still waits, and Node's own timeouts look there, too.
 */
function handedToKernel(socket: Socket): number {
  const { _handle: handle } = socket as { _handle?: { bytesWritten?: number; writeQueueSize?: number } | null };
  if (handle?.bytesWritten === undefined || handle.writeQueueSize === undefined)
    return socket.bytesWritten - socket.writableLength;
  return handle.bytesWritten - handle.writeQueueSize;
}

const tables = ['/proc/net/tcp', '/proc/net/tcp6'];
const emptyQueue = '00000000';

/** How many bytes the kernel holds for the peer of each connection. Empty where it does not tell. */
async function readKernelQueues(): Promise<Map<string, number>> {
  const texts = await Promise.all(tables.map((table) => readFile(table, 'latin1').catch(() => '')));
  const held = new Map<string, number>();
  for (const line of texts.join('\n').split('\n')) {
    // The fields: number, own address, peer's address, state, bytes to send and to read. A colon before each port.
    const [, own = '', peer = '', , queues = ''] = line.trim().split(/\s+/, 5);
    const toSend = queues.slice(0, emptyQueue.length);
    if (toSend === emptyQueue || !own.includes(':')) continue;
    held.set(`${own.slice(-4)} ${peer.slice(-4 - 1 - 8)}`, Number.parseInt(toSend, 16));
  }
  return held;
}

/** A connection as the tables name it: its port, and the end of the peer's address with the peer's port. */
function keyOf({ localPort = 0, remoteAddress = '', remotePort = 0 }: Socket): string {
  return `${hex(localPort, 4)} ${endOfAddress(remoteAddress)}:${hex(remotePort, 4)}`;
}
const hex = (value: number, digits: number) => value.toString(16).toUpperCase().padStart(digits, '0');

/** The last four bytes, which are all of an IPv4 address, in the order in which the kernel prints them. */
function endOfAddress(address: string): string {
  const parts = address.split('%', 1).join('').split(':');
  const last = parts.at(-1) ?? '';
  const pair = (group = '') => [Number.parseInt(group || '0', 16) >> 8, Number.parseInt(group || '0', 16) & 255];
  const bytes = last.includes('.') ? last.split('.').map(Number) : [...pair(parts.at(-2)), ...pair(last)];
  return bytes
    .toReversed()
    .map((byte) => hex(byte, 2))
    .join('');
}
