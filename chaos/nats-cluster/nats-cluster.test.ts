import assert from 'node:assert/strict';
import { it } from 'node:test';
import { testSeed as seed } from '../../testkit/seed.ts';
import { withStack } from '../../testkit/stack/with-services.ts';
import { isClusterGood, killNodes } from './nats-cluster.ts';

it('nodes of NATS are killed and passwords replaced: no task is lost, no command fails, and frames come again', async () => {
  const figures = await withStack(`nodes-${process.pid}`, (stack) =>
    killNodes({ stack, seed, kills: 3, hands: 'double', each: 1 }),
  );
  console.log(JSON.stringify(figures));
  assert.ok(isClusterGood(figures), JSON.stringify(figures));
});
