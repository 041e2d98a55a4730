import assert from 'node:assert/strict';
import { it } from 'node:test';
import { testSeed as seed } from '../../testkit/seed.ts';
import { withStack } from '../../testkit/stack/with-services.ts';
import { killedParts, killWhileDriven } from './kills.ts';

it(`a program finds its page and its login again at the same address, whatever is killed (seed ${seed})`, async () => {
  const { wrong, ...figures } = await withStack(`cdp-kills-${process.pid}`, (stack) =>
    killWhileDriven({ stack, seed, kills: killedParts.length }),
  );
  console.log(JSON.stringify(figures));
  assert.deepEqual(wrong, []);
});
