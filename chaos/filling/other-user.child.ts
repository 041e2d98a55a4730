// The user who does not fill, in a process of its own: what the one who fills computes at its side must not delay what is measured.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Client } from '@pilothouse/sdk';
import { type Access, clientOf } from '../attacks/crowd.ts';

type Order = { access: Access; secs: number };

export type OtherUser = ReturnType<typeof startOtherUser>;

export function startOtherUser(access: Access) {
  const child = fork(fileURLToPath(import.meta.url));
  // Where this one fails, its end takes the other along.
  const exited = once(child, 'exit').then(([code]) => {
    throw new Error(`the process of the other user ended with ${code}`);
  });
  exited.catch(() => undefined);

  return {
    /** How long each call took, in milliseconds. */
    async timesOf(secs: number): Promise<number[]> {
      const answered = once(child, 'message');
      child.send({ access, secs } satisfies Order);
      // Of our own making.
      const [times] = await Promise.race([answered, exited]);
      return times as number[];
    },
    close: () => void (child.connected && child.disconnect()),
  };
}

/** Two writes each time: well below what a user may change in a minute. */
const pauseMs = 300;

/** What another user does all the time: looks at a list, makes a session, closes it. */
async function timesOf(client: Client, secs: number): Promise<number[]> {
  const times: number[] = [];
  const timed = async <T>(call: () => Promise<T>): Promise<T> => {
    const begun = performance.now();
    const value = await call();
    times.push(performance.now() - begun);
    return value;
  };
  for (const end = performance.now() + secs * 1000; performance.now() < end; await sleep(pauseMs)) {
    await timed(() => client.listSessions());
    const { session } = await timed(() => client.createSession());
    await timed(() => client.deleteSession({ id: session.id }));
  }
  return times;
}

if (process.send && process.argv[1] === fileURLToPath(import.meta.url)) {
  process.on('message', async (order) => {
    const { access, secs } = order as Order;
    process.send?.(await timesOf(clientOf(access), secs));
  });
}
