import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inWords, parseTimes, partsBetween, watchMachine } from './weather.ts';

describe('the weather of a machine', () => {
  it('is told from two lines of the kernel', () => {
    const before = parseTimes('cpu  100 0 50 800 20 0 10 20 0 0\ncpu0 1 1 1 1\n');
    assert.deepEqual(before, { total: 1000, idle: 800, disk: 20, stolen: 20 });
    const after = parseTimes('cpu  500 0 250 1000 70 0 10 170 0 0\n');
    assert.deepEqual(partsBetween(before, after), { busy: 0.6, waitingForDisk: 0.05, stolen: 0.15 });
  });

  it('says when nothing ran', () => {
    const weather = watchMachine();
    const end = performance.now() + 600;
    while (performance.now() < end);
    const told = weather();
    assert.ok(told.stoodStillMs >= 300, JSON.stringify(told));
    assert.match(inWords(told), /nothing ran for up to \d+\.\d s$/);
  });
});
