// Which user opened a connection on this machine.
//
// A guard must serve only its own browser: another would travel under the lists of this session. A password would do, but
// Chromium takes none on its command line, and a browser library that answers the challenge for it holds up every request
// and turns the cache off. So the kernel is asked which user has the connection open. Where every browser has a user of
// its own that tells sessions apart; where they share one, they could read each other's memory anyway.

import { open } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';

const established = '01';
/** The kernel gives at most a page at a time. */
const pieceBytes = 4096;
/** From the ends of a connection to its user, and more than a line has before that. */
const lineChars = 150;

/** The user that opened this connection over IPv4 loopback; undefined if the kernel knows of none. */
export async function userOfClient({ remoteAddress, remotePort, localAddress, localPort }: Socket) {
  if (!remoteAddress || !remotePort || !localAddress || !localPort) return undefined;
  const ends = `${inKernelForm(remoteAddress, remotePort)} ${inKernelForm(localAddress, localPort)} ${established}`;
  // The table is read in pieces, and what moves in between can be passed over.
  return (await lookUp(ends)) ?? (await sleep(5).then(() => lookUp(ends)));
}

type Asker = { ends: string; answer: (user: number | undefined) => void; fail: (error: unknown) => void };
let waiting: Asker[] | undefined;

/** One reading for all questions that come before it begins: a browser opens several connections at a time. */
function lookUp(ends: string): Promise<number | undefined> {
  return new Promise((answer, fail) => {
    const asker = { ends, answer, fail };
    if (waiting) return void waiting.push(asker);
    const askers = [asker];
    waiting = askers;
    void setImmediate().then(() => {
      waiting = undefined;
      // A question that was answered already stays answered.
      return readFor(askers).catch((error) => askers.forEach((one) => void one.fail(error)));
    });
  });
}

/**
 * Only until every question is answered. To find that nothing follows, the kernel goes through a table with room for as many
 * connections as the machine has memory for, and that takes longer than all the rest.
 */
async function readFor(askers: Asker[]): Promise<void> {
  const file = await open('/proc/self/net/tcp');
  try {
    let left = askers;
    let text = '';
    for (const piece = Buffer.alloc(pieceBytes); left.length > 0; ) {
      const { bytesRead } = await file.read(piece, 0, pieceBytes);
      if (bytesRead === 0) break;
      // What was looked through stays outside, but for a line that may be in two pieces.
      text = text.slice(-2 * lineChars) + piece.toString('latin1', 0, bytesRead);
      left = left.filter(({ ends, answer }) => {
        const user = findUser(text, ends);
        if (user !== undefined) answer(user);
        return user === undefined;
      });
    }
    for (const { answer } of left) answer(undefined);
  } finally {
    await file.close();
  }
}

/** Columns: slot, local and remote address, state, queues, timer, retransmits, user, … */
function findUser(text: string, ends: string): number | undefined {
  const at = text.indexOf(ends);
  const line = at < 0 ? '' : text.slice(at + ends.length, at + ends.length + lineChars);
  const [, , , user, more] = line.trim().split(/\s+/);
  // Where the line is not here to its end, the number may not be either.
  return user === undefined || more === undefined ? undefined : Number(user);
}

/** As /proc/net/tcp writes it: the address as a number in the machine's own order, then the port, in hexadecimal. */
function inKernelForm(address: string, port: number): string {
  const bytes = Uint8Array.from(address.split('.'), Number);
  const number = new Uint32Array(bytes.buffer)[0] ?? 0;
  return `${hex(number, 8)}:${hex(port, 4)}`;
}

const hex = (value: number, width: number) => value.toString(16).toUpperCase().padStart(width, '0');
