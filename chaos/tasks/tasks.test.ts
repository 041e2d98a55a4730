import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { testSeed as seed } from '../../testkit/seed.ts';
import type { Stack } from '../../testkit/stack/stack.ts';
import { withStack } from '../../testkit/stack/with-services.ts';
import { shootAtTasks } from './run.ts';
import { wakeZombies } from './zombies.ts';

describe(`tasks while everything around them is shot (seed ${seed})`, () => {
  const inHouse = <T>(name: string, work: (stack: Stack) => Promise<T>) => withStack(`${name}-${process.pid}`, work);

  it('end as they should, in real browsers', async () => {
    const { wrong, ...met } = await inHouse('shot', (stack) =>
      shootAtTasks({ stack, seed, tasks: 300, minutes: 0.6, atOnce: 8 }),
    );
    console.log(JSON.stringify(met));
    assert.deepEqual(wrong, []);
    assert.equal(met.success + met.awaiting_user, met.tasks);
    assert.ok(met.tasks >= 8 && met.shots >= 5, 'enough of both to say something');
  });

  it('end once, by the dozen', async () => {
    const { wrong, ...met } = await inHouse('mass', (stack) =>
      shootAtTasks({ stack, seed, tasks: 60, atOnce: 20, hands: 'double' }),
    );
    console.log(JSON.stringify(met));
    assert.deepEqual(wrong, []);
    assert.equal(met.success + met.awaiting_user, 60);
  });

  it('obey nobody who was stopped beyond its lease and goes on', async () => {
    const { wrong, rounds, moved, requests } = await inHouse('zombies', (stack) =>
      wakeZombies({ stack, rounds: 2, seed }),
    );
    console.log(JSON.stringify({ rounds, moved, requests }));
    assert.deepEqual(wrong, []);
    assert.ok(
      rounds >= 2 && moved > 0 && requests > 0,
      'a stopped agent or host held tasks or browsers, which moved to another',
    );
  });
});
