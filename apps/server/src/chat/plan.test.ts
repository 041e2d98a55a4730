import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AppError, ChatRequest, type Step } from '@pilothouse/contract';
import { decidePlan, type ParseScript, type Planners } from './plan.ts';

const step: Step = { action: 'screenshot' };
/** A parser that knows only "look", one word a line. */
const parseScript: ParseScript = (text) => {
  const lines = text.split('\n').filter(Boolean);
  const errors = lines.flatMap((line, i) =>
    line === 'look'
      ? []
      : [{ line: i + 1, column: 1, message: `cannot read "${line}". Did you mean \`look\`?`, nearest: 'look' }],
  );
  return errors.length > 0 ? { ok: false, errors } : { ok: true, steps: lines.map(() => step) };
};

const models = ['test/one'];
const everything: Planners = { parseScript, models };
const scripts: Planners = { parseScript };
const model: Planners = { models };

/** The decision for each request and set of planners: a number of steps, the model, or the refused field. */
const rows: [asked: object, planners: Planners, expected: number | 'model' | string][] = [
  [{ prompt: 'x', steps: [step] }, {}, 1],
  [{ prompt: 'look', steps: [step, step] }, everything, 2],
  [{ prompt: 'look\nlook' }, everything, 2],
  [{ prompt: 'look\nlook' }, scripts, 2],
  [{ prompt: 'look\nlook' }, model, 'model'],
  [{ prompt: 'Find a lantern' }, everything, 'model'],
  [{ prompt: 'Find a lantern', judge: true }, everything, 'model'],
  [{ prompt: 'look', judge: true }, everything, '/body/judge'],
  [{ prompt: 'look', judge: false }, everything, 1],
  [{ prompt: 'x', steps: [step], judge: true }, everything, '/body/judge'],
  [{ prompt: 'click "Buy"\nclik "Pay"' }, everything, '/body/prompt'],
  [{ prompt: 'click "Buy"\nclik "Pay"', planner: 'llm' }, everything, 'model'],
  [{ prompt: 'Open the shop\nand buy a lantern' }, everything, 'model'],
  [{ prompt: 'x', planner: 'llm', model: 'test/one' }, everything, 'model'],
  [{ prompt: 'x', planner: 'llm', model: 'test/two' }, everything, '/body/model'],
  [{ prompt: 'x', planner: 'llm', output_schema: { type: 'object' } }, everything, 'model'],
  [
    { prompt: 'x', planner: 'llm', output_schema: { type: 'string', pattern: '^(a+)+$' } },
    everything,
    '/body/output_schema',
  ],
  [{ prompt: 'x', planner: 'llm', output_schema: { not: { type: 'string' } } }, everything, '/body/output_schema'],
  [{ prompt: 'look\nleap' }, scripts, '/body/prompt'],
  [{ prompt: 'look' }, {}, '/body/steps'],
  [{ prompt: 'look', planner: 'script' }, everything, 1],
  [{ prompt: 'leap', planner: 'script' }, everything, '/body/prompt'],
  [{ prompt: 'look', planner: 'script' }, model, '/body/steps'],
  [{ prompt: '\n', planner: 'script' }, scripts, '/body/prompt'],
  [{ prompt: 'x', planner: 'script', steps: [step] }, {}, 1],
  [{ prompt: 'look', planner: 'llm' }, everything, 'model'],
  [{ prompt: 'look', planner: 'llm' }, scripts, '/body/planner'],
  [{ prompt: 'look', planner: 'llm', steps: [step] }, everything, '/body/steps'],
  [{ prompt: 'x', planner: 'llm', confirm: 'plan' }, everything, 'model'],
  [{ prompt: 'look', confirm: 'plan' }, everything, '/body/confirm'],
  [{ prompt: 'Find a lantern', confirm: 'plan' }, everything, '/body/confirm'],
  [{ prompt: 'x', steps: [step], confirm: 'plan' }, everything, '/body/confirm'],
  [{ prompt: 'x', steps: [step, step], max_steps: 1 }, {}, '/body/steps'],
  [{ prompt: 'look\nlook', max_steps: 1 }, scripts, '/body/prompt'],
];

const refusalOf = (asked: object, planners: Planners): AppError => {
  try {
    decidePlan(ChatRequest.parse(asked), planners);
  } catch (error) {
    if (error instanceof AppError) return error;
  }
  throw new Error('was not refused');
};

describe('the plan of a chat', () => {
  for (const [asked, planners, expected] of rows) {
    const who = Object.keys(planners).join(' and ') || 'nothing';
    it(`for ${JSON.stringify(asked)}, where ${who} can plan, is ${expected}`, () => {
      if (typeof expected === 'string' && expected !== 'model') {
        const { code, errors } = refusalOf(asked, planners);
        assert.equal(code, 'validation_failed');
        assert.equal(errors?.[0]?.pointer, expected);
        return;
      }
      const { steps, isOpen } = decidePlan(ChatRequest.parse(asked), planners);
      assert.equal(isOpen, expected === 'model');
      assert.equal(steps.length, expected === 'model' ? 0 : expected);
    });
  }

  it('that fails names every wrong line, and what to configure', () => {
    const { errors, message } = refusalOf({ prompt: 'look\nleap\nlurk' }, scripts);
    assert.deepEqual(errors, [
      { pointer: '/body/prompt', message: 'line 2, column 1: cannot read "leap". Did you mean `look`?' },
      { pointer: '/body/prompt', message: 'line 3, column 1: cannot read "lurk". Did you mean `look`?' },
    ]);
    assert.match(message, /No model is configured/);
  });
});
