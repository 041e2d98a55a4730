// People who ask for one task after the other, and follow each to its end.

import { type Client, isApiError } from '@pilothouse/sdk';
import type { Site } from '../../testkit/pages/counter.ts';
import { createRandom } from '../../testkit/random.ts';
import { askAndFollow, insist, type TaskHistory } from './person.ts';
import { makeScript } from './script.ts';

type Work = { people: Client; site: Site; seed: number; atOnce: number; mayBeIrreversible?: boolean };

const taskMs = 120_000;
const closedMs = 60_000;

export function startWorking({ people, site, seed, atOnce, mayBeIrreversible = true }: Work) {
  const all: TaskHistory[] = [];
  let isOver = false;
  let index = 0;
  const work = async () => {
    while (!isOver) {
      index += 1;
      const name = `task-${seed}-${index}`;
      const script = makeScript(site.url, name, createRandom(seed + index), { least: 3, most: 8, mayBeIrreversible });
      const seen = await askAndFollow(people, name, script, taskMs);
      all.push(seen);
      const closing = insist(() => people.deleteSession({ id: seen.sessionId }), AbortSignal.timeout(closedMs));
      await closing.catch((error) => {
        // One that was acknowledged and lost is found by who checks the tasks.
        if (!isApiError(error, 'not_found')) throw error;
      });
    }
  };
  const working = Promise.all(Array.from({ length: atOnce }, work));
  return {
    async end(): Promise<TaskHistory[]> {
      isOver = true;
      await working;
      return all;
    },
  };
}
