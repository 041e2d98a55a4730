import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { getHeapSpaceStatistics } from 'node:v8';
import { until } from '../../../testkit/until.ts';
import { createIdleMemory } from './idle-memory.ts';

const youngBytes = () =>
  getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.physical_space_size ?? Number.NaN;

describe('idle memory', () => {
  it('is given back after the heap has grown', async () => {
    const kept: object[] = [];
    while (youngBytes() < 16 * 2 ** 20) {
      kept.push({ at: kept.length });
      if (kept.length > 10 ** 7) throw new Error('the heap does not grow');
    }
    kept.length = 0;
    const grown = youngBytes();
    createIdleMemory({ afterMs: 10 }).start();
    await until(() => youngBytes() < grown / 4, 5000);
  });

  it('is kept when work comes, and given back once after the last work has ended', (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    let collected = 0;
    const idleMemory = createIdleMemory({ afterMs: 30, collect: () => (collected += 1) });
    idleMemory.start();
    t.mock.timers.tick(29);
    idleMemory.cancel();
    t.mock.timers.tick(60);
    assert.equal(collected, 0);
    idleMemory.start();
    t.mock.timers.tick(29);
    idleMemory.start();
    t.mock.timers.tick(29);
    assert.equal(collected, 0, 'counted from the last work');
    t.mock.timers.tick(1);
    assert.equal(collected, 1);
    t.mock.timers.tick(60);
    assert.equal(collected, 1);
  });
});
