import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createStepNews, stepLine } from './step-news.ts';
import type { StepItem, StepState, TimelineItem } from './timeline-model.ts';

/** News with a clock that only the test moves. */
function newsOf() {
  const said: [number, string][] = [];
  let now = 0;
  let timer: { at: number; work: () => void } | undefined;
  const news = createStepNews({
    say: (line) => said.push([now, line]),
    now: () => now,
    later: (work, ms) => {
      const mine = { at: now + ms, work };
      timer = mine;
      return () => {
        if (timer === mine) timer = undefined;
      };
    },
  });
  const goTo = (ms: number) => {
    while (timer && timer.at <= ms) {
      const { at, work } = timer;
      timer = undefined;
      now = at;
      work();
    }
    now = ms;
  };
  return { news, said, goTo };
}

describe('what is said of the steps', () => {
  it('is one line at most every five seconds: the newest', () => {
    const { news, said, goTo } = newsOf();
    news.hear('');
    for (let step = 1; step <= 40; step += 1) {
      goTo(step * 500);
      news.hear(`Step ${step}`);
    }
    goTo(60_000);
    assert.deepEqual(said, [
      [500, 'Step 1'],
      [5500, 'Step 10'],
      [10_500, 'Step 20'],
      [15_500, 'Step 30'],
      [20_500, 'Step 40'],
    ]);
  });

  it('is at once where the last line is longer ago', () => {
    const { news, said, goTo } = newsOf();
    for (const [at, line] of [
      [0, ''],
      [100, 'Step 1'],
      [5100, 'Step 2'],
      [30_000, 'Step 3'],
    ] as const) {
      goTo(at);
      news.hear(line);
    }
    assert.deepEqual(said, [
      [100, 'Step 1'],
      [5100, 'Step 2'],
      [30_000, 'Step 3'],
    ]);
  });

  it('is nothing of what the page began with, nothing twice, and nothing after it is closed', () => {
    const { news, said, goTo } = newsOf();
    news.hear('Step 7 done');
    news.hear('Step 7 done');
    assert.deepEqual(said, []);
    news.hear('Step 8');
    news.hear('Step 8');
    news.hear('Step 9');
    news.close();
    goTo(60_000);
    assert.deepEqual(said, [[0, 'Step 8']]);
  });
});

describe('the line of a step', () => {
  const step = (index: number, state: StepState, more: Partial<StepItem> = {}) =>
    ({ type: 'step', index, state, title: `Title ${index}`, tries: 1, ...more }) as TimelineItem;

  for (const [items, line] of [
    [[], ''],
    [[step(1, 'coming')], ''],
    [[step(1, 'earlier'), step(2, 'done'), step(3, 'running'), step(4, 'coming')], 'Step 3: Title 3'],
    [[step(2, 'running', { tries: 3 })], 'Step 2, try 3: Title 2'],
    [[step(2, 'done'), step(3, 'not_run')], 'Step 2 done: Title 2'],
    [[step(2, 'failed')], 'Step 2 failed: Title 2'],
    [[step(2, 'interrupted')], 'Step 2 was interrupted: Title 2'],
  ] as const)
    it(line || `of ${items.length} is empty`, () => assert.equal(stepLine(items), line));

  it('is short, whatever a page or a model calls the step', () => {
    assert.ok(stepLine([step(1, 'running', { title: 'W'.repeat(100_000) })]).length < 300);
  });
});
