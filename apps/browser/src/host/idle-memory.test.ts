import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { getHeapSpaceStatistics } from 'node:v8';
import { until } from '../testing/until.ts';
import { createRest } from './rest.ts';

const youngBytes = () =>
  getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.physical_space_size ?? Number.NaN;

describe('a rest', () => {
  it('gives back the room that much work had taken', async () => {
    const kept: object[] = [];
    while (youngBytes() < 16 * 2 ** 20) {
      kept.push({ at: kept.length });
      if (kept.length > 10 ** 7) throw new Error('the heap does not grow');
    }
    kept.length = 0;
    const grown = youngBytes();
    createRest({ afterMs: 10 }).begin();
    await until(() => youngBytes() < grown / 4, 5000);
  });

  it('is over when somebody comes, and begins anew when nobody is left', async () => {
    let collected = 0;
    const rest = createRest({ afterMs: 30, collect: () => (collected += 1) });
    rest.begin();
    rest.end();
    await sleep(60);
    assert.equal(collected, 0);
    rest.begin();
    rest.begin();
    await until(() => collected > 0, 1000);
    await sleep(60);
    assert.equal(collected, 1);
  });
});
