import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Page } from 'playwright-core';
import { until } from '../../../../testkit/until.ts';
import { createOpenFields } from './open-fields.ts';

it('what the next person opens is looked for also if the last look for the former one still goes on', async () => {
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
  await until(() => looks.length === 1, 5000);
  fields.stop();
  fields.touched();
  // Longer than the wait after a touch: its look finds the former one under way.
  await new Promise((resolve) => setTimeout(resolve, 200));
  assert.equal(looks.length, 1);
  looks[0]?.resolve(undefined);
  await until(() => looks.length === 2, 5000);
  fields.stop();
  closed.abort();
});
