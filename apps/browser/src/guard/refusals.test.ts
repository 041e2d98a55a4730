import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRefusals, type Refusal } from './refusals.ts';

const to = (host: string) => ({ via: 'tunnel', host, port: 443, reason: 'denied_domain' }) as const;

test('of ever new names twenty are told, then how many more there were, in one line', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const told: Refusal[] = [];
  const noted: string[] = [];
  const refusals = createRefusals({ tell: (one) => told.push(one), note: (host) => noted.push(host) }, 50);
  for (let i = 0; i < 400; i += 1) refusals.add(to(`n${i}.test`));
  assert.equal(told.length, 20);
  refusals.add(to('n0.test'));
  t.mock.timers.tick(49);
  assert.equal(told.length, 20);
  t.mock.timers.tick(1);
  assert.deepEqual(told.slice(20), [
    { via: 'request', host: '381 more', port: undefined, reason: 'too_many', count: 381 },
  ]);
  assert.equal(noted.length, 401, 'a step that ran into one knows it all the same');
  assert.equal(noted[399], 'n399.test');
  refusals.add(to('later.test'));
  assert.deepEqual(told.at(-1), { ...to('later.test'), count: 1 });
  refusals.close();
});
