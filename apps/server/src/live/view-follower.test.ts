import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { HostClient } from '@pilothouse/fleet';
import { createViewFollower } from './view-follower.ts';

it('a host that answers at once without end is asked again only after a pause', async () => {
  const enough = Promise.withResolvers<void>();
  let asked = 0;
  const view: HostClient['view'] = async () => {
    asked += 1;
    return {
      type: 'done',
      reply: { view: { version: `host ${asked}`, epoch: 1, pages: [], driver: null, copied: null } },
    };
  };
  /** How often the host had been asked when each pause began, and how long the pause was. */
  const pauses: { asked: number; ms: number }[] = [];
  const follower = createViewFollower({
    sessionId: 's1',
    hosts: { view },
    async sleep<T>(ms = 0, value?: T) {
      pauses.push({ asked, ms });
      if (pauses.length === 5) enough.resolve();
      return value as T;
    },
  });
  follower.update('h1', null);
  await enough.promise;
  follower.close();
  assert.deepEqual(
    pauses.slice(0, 5),
    [1, 2, 3, 4, 5].map((times) => ({ asked: times, ms: 50 })),
  );
});
