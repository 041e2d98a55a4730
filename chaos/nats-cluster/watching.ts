// Viewers of sessions whose page never rests: when each of their frames arrived.

import type { Step } from '@pilothouse/contract';
import type { Client } from '@pilothouse/sdk';
import { until } from '../../testkit/until.ts';

export type Watching = Awaited<ReturnType<typeof startWatching>>;

const waitSecs = 20;
/** Longer than any run. */
const waits = 150;
const firstMs = 60_000;

/** A task that waits on the page, and a viewer of it. Resolves with the first frame. */
export async function startWatching(client: Client, url: string) {
  const steps = Array.from({ length: waits }, (): Step => ({ action: 'wait', for: { secs: waitSecs } }));
  const { session_id: id } = await client.sendChat({
    prompt: 'watched',
    steps: [{ action: 'navigate', url }, ...steps],
    max_steps: 200,
    time_limit_secs: 2 * waits * waitSecs,
  });
  const leaving = new AbortController();
  const arrived: number[] = [];
  const watching = (async () => {
    for await (const event of client.followSession({ id }, { signal: leaving.signal }))
      if (event.type === 'frame') arrived.push(performance.now());
  })();
  // How it ends is seen by the frames that are missing.
  watching.catch(() => {});
  await until(() => arrived.length > 0, firstMs);
  return {
    frames: () => arrived.length,
    /** The longest time without a frame between these two moments. */
    longestWithout(from: number, to: number): number {
      const moments = [from, ...arrived.filter((at) => at > from && at < to), to];
      return Math.max(...moments.slice(1).map((at, index) => at - (moments[index] ?? from)));
    },
    async close(): Promise<void> {
      leaving.abort();
      await client.deleteSession({ id });
    },
  };
}
