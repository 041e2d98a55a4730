import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { runEvals } from '../testkit/evals/run.ts';
import { openSetting, type Setting } from '../testkit/evals/setting.ts';
import type { WireName } from '../testkit/models/mind.ts';

// The full size is `npm run eval`.
describe('tasks in words with a model that knows what to do', () => {
  let setting: Setting;
  before(async () => {
    setting = await openSetting('evals');
  });
  after(() => setting?.close());

  const run = async (wire: WireName, part: { count?: number; from?: number } = {}) => {
    const figures = await runEvals({ setting, mind: 'teacher', atOnce: 4, seed: 1, wire, ...part });
    assert.deepEqual(figures.mismatches, []);
    assert.equal(figures.as_expected, figures.tasks);
    assert.equal(figures.difference_to_books, 0);
    assert.equal(figures.prefix_kept.kept, figures.prefix_kept.of);
    assert.ok(figures.largest_call_tokens <= 24_000, `${figures.largest_call_tokens} tokens`);
    return figures;
  };

  it('are done, one of each kind, and the sites know nothing too much', async () => {
    const { tasks, kinds } = await run('chat');
    assert.ok(tasks === kinds && kinds >= 20, `${kinds} kinds`);
  });

  for (const wire of ['responses', 'anthropic', 'google'] as const)
    it(`are done over the wire ${wire}`, async () => {
      await run(wire, { from: 2, count: 5 });
    });
});
