// A person who drives a browser through the outage: the same takeover, the same epoch, the same page afterwards.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@pilothouse/sdk';
import type { Site } from '../../testkit/pages/counter.ts';
import { until } from '../../testkit/stack/daemon.ts';
import { insist } from '../tasks/person.ts';

const openMs = 30_000;
const tryMs = 3000;
const retryMs = 100;

/** Takes over a session of its own, and opens the page of this name there. */
export async function takeOver(client: Client, site: Site, name: string) {
  const signal = AbortSignal.timeout(openMs);
  const { session } = await client.createSession();
  const { id } = session;
  await client.requestSessionTakeover({ id, expires_in_secs: 3600 });
  const standing = async () =>
    (await insist(() => client.getSession({ id }), AbortSignal.timeout(openMs))).snapshot.takeover;
  if (!(await until(async () => (await standing())?.status === 'active', openMs))) throw new Error('nobody drives');
  const first = await standing();
  if (!first) throw new Error('nobody drives');
  const path = `/${name}`;
  let seq = 0;
  let pressed = 0;
  const send = (action: object) =>
    // Each caller gives a whole action.
    client.movePointer({ id, takeover_id: first.takeover_id, ...action } as Parameters<Client['movePointer']>[0], {
      timeoutMs: tryMs,
    });
  seq += 1;
  await send({ action: 'navigate', url: `${site.url}${path}`, input_seq: seq });
  signal.throwIfAborted();

  return {
    sessionId: id,

    /** Sends the form by keys; returns after how many ms the input was taken. */
    async press(withinMs: number): Promise<number> {
      const begun = performance.now();
      const keys = ['Tab', 'Enter'].map((key) => ({ action: 'key', key, input_seq: ++seq }));
      for (const key of keys)
        for (;;) {
          // Sent again under its number, nothing is done twice.
          const isDone = await send(key).then(
            () => true,
            () => false,
          );
          if (isDone) break;
          if (performance.now() - begun > withinMs) return withinMs;
          await sleep(retryMs);
        }
      pressed += 1;
      return Math.round(performance.now() - begun);
    },

    /** What is not as it was before the outage. */
    async check(what: string): Promise<string[]> {
      const wrong: string[] = [];
      if (!(await until(() => (site.posts.get(path) ?? 0) >= pressed, 10_000)))
        wrong.push(`${what}: ${name} pressed ${pressed} times, and the site saw ${site.posts.get(path) ?? 0}`);
      const now = await standing();
      if (now?.takeover_id !== first.takeover_id || now.epoch !== first.epoch || now.status !== 'active')
        wrong.push(`${what}: the takeover of ${name} is now ${JSON.stringify(now)}`);
      return wrong;
    },
  };
}
export type Driven = Awaited<ReturnType<typeof takeOver>>;
