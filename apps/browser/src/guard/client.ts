// Who is at the other end of a connection on this machine.
//
// A guard must serve only its own browser: another would travel under the lists of this session. A password would do, but
// Chromium takes none on its command line, and a browser library that answers the challenge for it holds up every request
// and turns the cache off. So the kernel is asked which user has the connection open. Where every browser has a user of
// its own that tells sessions apart; where they share one, they could read each other's memory anyway.

import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';

const ESTABLISHED = '01';

/** The user that opened this connection over IPv4 loopback; undefined if the kernel knows of none. */
export async function userOfClient({ remoteAddress, remotePort, localAddress, localPort }: Socket) {
  if (!remoteAddress || !remotePort || !localAddress || !localPort) return undefined;
  const ends = `${inKernelForm(remoteAddress, remotePort)} ${inKernelForm(localAddress, localPort)} ${ESTABLISHED}`;
  // The table is read in pieces, and what moves in between can be passed over.
  return findUser(await readTable(), ends) ?? findUser(await sleep(5).then(readTable), ends);
}

let reading: Promise<string> | undefined;

/** One reading for all that ask before it begins: a browser opens several connections at a time. */
function readTable(): Promise<string> {
  reading ??= setImmediate().then(() => {
    reading = undefined;
    return readFile('/proc/self/net/tcp', 'latin1');
  });
  return reading;
}

/** Columns: slot, local and remote address, state, queues, timer, retransmits, user, … */
function findUser(text: string, ends: string): number | undefined {
  const at = text.indexOf(ends);
  if (at < 0) return undefined;
  const user = text
    .slice(at + ends.length, at + ends.length + 80)
    .trim()
    .split(/\s+/)[3];
  return user === undefined ? undefined : Number(user);
}

/** As /proc/net/tcp writes it: the address as a number in the machine's own order, then the port, in hexadecimal. */
function inKernelForm(address: string, port: number): string {
  const bytes = Uint8Array.from(address.split('.'), Number);
  const number = new Uint32Array(bytes.buffer)[0] ?? 0;
  return `${hex(number, 8)}:${hex(port, 4)}`;
}

const hex = (value: number, width: number) => value.toString(16).toUpperCase().padStart(width, '0');
