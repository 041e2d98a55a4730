import assert from 'node:assert/strict';
import { it, mock } from 'node:test';
import { createClock } from './clock.ts';

it('one timer tells all listeners, and stops with the last of them', () => {
  mock.timers.enable({ apis: ['setInterval', 'Date'], now: 5000 });
  try {
    const clock = createClock();
    const heard: string[] = [];
    const stopFirst = clock.onTick(() => heard.push(`first ${clock.now()}`));
    const stopSecond = clock.onTick(() => heard.push(`second ${clock.now()}`));
    mock.timers.tick(999);
    assert.equal(clock.now(), 5000);
    mock.timers.tick(1);
    assert.deepEqual(heard, ['first 6000', 'second 6000']);
    stopFirst();
    mock.timers.tick(1000);
    assert.deepEqual(heard.slice(2), ['second 7000']);
    stopSecond();
    mock.timers.tick(5000);
    assert.equal(heard.length, 3);
    assert.equal(clock.now(), 12_000);
  } finally {
    mock.timers.reset();
  }
});

it('has its listeners look once more between two ticks, at the same time', () => {
  let time = 100;
  const clock = createClock({ read: () => time });
  const heard: number[] = [];
  const stop = clock.onTick(() => heard.push(clock.now()));
  time = 350;
  assert.equal(clock.now(), 100);
  clock.tell();
  stop();
  assert.deepEqual(heard, [100]);
});
