import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { testSeed as seed } from '../../testkit/seed.ts';
import { withStack } from '../../testkit/stack/with-services.ts';
import { followThroughRestarts } from './restarts.ts';
import { revokeStreams } from './revoked.ts';
import { dieBeforePublish } from './unannounced.ts';

describe(`streams (seed ${seed})`, () => {
  it('have no gap and no repeat, however often the servers are restarted', async () => {
    const { wrong, ...met } = await withStack(`streams-${process.pid}`, (stack) =>
      followThroughRestarts({ stack, seed, clients: 50, tasks: 6, restarts: 1 }),
    );
    console.log(JSON.stringify(met));
    assert.deepEqual(wrong.slice(0, 5), []);
    assert.ok(met.events_delivered > 100 && met.connections > met.clients, 'enough to say something');
  });

  it('bring what nobody announced', async () => {
    const { lost, repeated, slowest_ms } = await dieBeforePublish({ events: 10, clients: 10 });
    console.log(`slowest: ${slowest_ms} ms`);
    assert.deepEqual({ lost, repeated }, { lost: 0, repeated: 0 });
    assert.ok(slowest_ms < 3000, `${slowest_ms} ms`);
  });

  it('end when the right to watch does, at every server', async () => {
    const { streams, ended, last_ms, ways } = await revokeStreams(40);
    console.log(JSON.stringify(ways));
    assert.equal(ended, streams);
    assert.ok(last_ms < 2500, `${last_ms} ms`);
  });
});
