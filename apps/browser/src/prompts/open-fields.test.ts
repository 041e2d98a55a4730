import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Page } from 'playwright-core';
import { createOpenFields } from './open-fields.ts';

/** Longer than the wait after a touch. */
const waitMs = 200;

it('what the next person opens is looked for also if the last look for the former one still goes on', async ({
  mock,
}) => {
  mock.timers.enable({ apis: ['setTimeout'] });
  const looks: PromiseWithResolvers<undefined>[] = [];
  const closed = new AbortController();
  const fields = createOpenFields({
    // Only told apart from other pages.
    page: () => ({}) as Page,
    openFieldOf() {
      const look = Promise.withResolvers<undefined>();
      looks.push(look);
      return look.promise;
    },
    signal: closed.signal,
    onChange: () => {},
  });
  fields.touched();
  mock.timers.tick(waitMs);
  assert.equal(looks.length, 1);
  fields.stop();
  fields.touched();
  // Its look finds the former one under way.
  mock.timers.tick(waitMs);
  assert.equal(looks.length, 1);
  looks[0]?.resolve(undefined);
  // Everything that follows the former look has run by the next turn of the event loop.
  await new Promise(setImmediate);
  mock.timers.tick(waitMs);
  assert.equal(looks.length, 2);
  fields.stop();
  closed.abort();
});
