import assert from 'node:assert/strict';
import { it } from 'node:test';
import { testSeed as seed } from '../../testkit/seed.ts';
import { withStack } from '../../testkit/stack/with-services.ts';
import { cutBus } from './cut-bus.ts';

it(`a host that loses the bus while it is watched leaks no browser, and loses no step to a viewer (seed ${seed})`, async () => {
  const figures = await withStack(`cut-bus-${process.pid}`, (stack) => cutBus({ stack, cuts: 2, seed }));
  console.log(JSON.stringify(figures));
  const { leaked, given_up_while_running, interrupted_by_short_cuts, chromium_left, given_up } = figures;
  assert.deepEqual(
    { leaked, given_up_while_running, interrupted_by_short_cuts, chromium_left },
    { leaked: [], given_up_while_running: 0, interrupted_by_short_cuts: 0, chromium_left: 0 },
  );
  // Else no browser was given up that could have been leaked.
  assert.ok(given_up > 0, 'the second cut is longer than the patience of an agent');
});
