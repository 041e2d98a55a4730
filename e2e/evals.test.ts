import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { brokenBounds } from '../testkit/evals/bounds.ts';
import { runEvals } from '../testkit/evals/run.ts';
import { openSetting, type Setting } from '../testkit/evals/setting.ts';
import type { WireName } from '../testkit/models/mind.ts';
import { mistake } from '../testkit/models/teacher.ts';

// The full size is `npm run eval`.
describe('tasks in words with a model that knows what to do', () => {
  let setting: Setting;
  before(async () => {
    setting = await openSetting('evals');
  });
  after(() => setting?.close());

  const run = async (wire: WireName, part: { count?: number; from?: number } = {}) => {
    const figures = await runEvals({ setting, mind: 'teacher', atOnce: 4, seed: 1, wire, ...part });
    assert.deepEqual([brokenBounds(figures), figures.mismatches], [[], []]);
    assert.equal(figures.as_expected, figures.tasks);
    assert.equal(figures.prefix_kept.kept, figures.prefix_kept.of);
    return figures;
  };

  // The kinds after one another, some over each wire. The heaviest page, `tables: long`, is left to the full size.
  const parts = [
    { wire: 'chat', from: 0, count: 11 },
    { wire: 'responses', from: 11, count: 4 },
    { wire: 'anthropic', from: 15, count: 4 },
    { wire: 'google', from: 22, count: 5 },
  ] as const;
  for (const { wire, ...part } of parts)
    it(`are done over the wire ${wire}, and the sites know nothing too much`, async () => {
      assert.equal((await run(wire, part)).tasks, part.count);
    });

  it('end well or with a sentence where the model is often wrong', async () => {
    const figures = await runEvals({ setting, mind: 'noisy', atOnce: 4, seed: 1, wire: 'chat', count: 8, from: 0 });
    assert.deepEqual(brokenBounds(figures), [], JSON.stringify(figures.mismatches));
    const said = setting.model.books.flatMap(({ request }) => request.messages.map(({ text }) => text));
    assert.ok(said.some((text) => text.includes(mistake)));
  });
});
