import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from './daemon.ts';

it('until takes no answer that comes after the deadline', async () => {
  const late = async () => {
    await sleep(120);
    return true;
  };
  assert.equal(await until(late, 50), false);
  assert.equal(await until(late, 2000), true);
  assert.equal(await until(() => false, 50), false);
});
