import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Decision } from '../live/api-types.ts';
import { withDecisions } from './decision-items.ts';
import { describeDollars, describeTokens } from './describe-cost.ts';
import type { StepItem, TimelineItem } from './timeline-model.ts';

const at = (secs: number) => new Date(Date.UTC(2026, 0, 2, 3, 4, secs)).toISOString();
const step = (index: number, secs: number | undefined, more: Partial<StepItem> = {}): StepItem => ({
  ...{ type: 'step', key: `step ${index}`, index, stepId: `step-${index}`, title: `Step ${index}`, state: 'done' },
  ...{ tries: 1, failures: [], at: secs === undefined ? undefined : at(secs), ranMs: 100, message: null },
  ...{ thinking: 'A thought', evaluation: null, nextGoal: 'A goal', evidence: undefined, ...more },
});
const call = {
  ...{ number: 1, model: 'local', ms: 900, input_tokens: 900, cached_tokens: 0, output_tokens: 20 },
  ...{ reasoning_tokens: 0, cost_micros: 12 },
};
type Given = Partial<Decision> & { steps?: string[]; refused?: string };
const decision = (number: number, secs: number, { steps = [], refused, ...more }: Given = {}): Decision => ({
  ...{ number, decided_at: at(secs), status: 'done', cut_reason: null, evaluation: null, goal: `Goal ${number}` },
  ...{ thinking: null, url: null, read_messages: 0, call },
  actions: [{ tool: 'click', input: {}, step_ids: steps, refused: refused ?? null }],
  ...more,
});
const prompt: TimelineItem = { type: 'prompt', key: 'prompt', at: at(0), text: 'Buy it' };
const note: TimelineItem = { type: 'note', key: 'note', at: at(5), text: 'The red one' };
const inWords = (items: readonly TimelineItem[]) =>
  items.map((item) =>
    item.type === 'decision'
      ? `${item.isNow ? 'now ' : ''}${item.goal}`
      : item.type === 'step'
        ? item.index
        : item.type,
  );

describe('the decisions of a model in the timeline', () => {
  it('stand before their steps, and what a person says where it was said', () => {
    const items = [prompt, step(1, 2), step(2, 3), note, step(3, 9, { state: 'running', stepId: undefined })];
    const decisions = [
      decision(1, 1, { steps: ['step-1', 'step-2'] }),
      decision(2, 4, { refused: 'It is not there.', cut_reason: 'A person wrote.', status: 'cut' }),
      decision(3, 6, { steps: ['step-3'], status: 'open' }),
    ];
    const grouped = withDecisions({ items, decisions, isAtWork: true });
    assert.deepEqual(inWords(grouped), ['prompt', 'Goal 1', 1, 2, 'Goal 2', 'note', 'now Goal 3', 3]);
    const second = grouped[4];
    assert.ok(second?.type === 'decision');
    assert.deepEqual([second.refused, second.cut], [['click: It is not there.'], 'A person wrote.']);
    assert.ok(grouped.every((item) => item.type !== 'step' || (item.thinking === null && item.nextGoal === null)));
  });

  it('are told apart from steps that are not read yet, by their numbers', () => {
    const earlier = step(1, undefined, { state: 'earlier', stepId: undefined, thinking: null, nextGoal: null });
    const decisions = [decision(1, 1, { steps: ['step-1'] }), decision(2, 4, { steps: ['step-2'] })];
    const grouped = withDecisions({ items: [prompt, earlier, step(2, 5)], decisions, isAtWork: false });
    assert.deepEqual(inWords(grouped), ['prompt', 'Goal 1', 1, 'Goal 2', 2]);
  });

  it('say that the model decides, while it does', () => {
    const decisions = [decision(1, 1, { steps: ['step-1'] })];
    const given = { items: [prompt, step(1, 2)], decisions };
    assert.equal(inWords(withDecisions({ ...given, isAtWork: true })).at(-1), 'now Decides what comes next');
    assert.equal(inWords(withDecisions({ ...given, isAtWork: false })).at(-1), 1);
  });

  it('are made from the words of the steps until they are read', () => {
    const items = [prompt, step(1, 2), step(2, 3), step(3, 4, { nextGoal: 'Another goal' })];
    const grouped = withDecisions({ items, decisions: undefined, isAtWork: true });
    assert.deepEqual(inWords(grouped), ['prompt', 'A goal', 1, 2, 'Another goal', 3]);
  });

  it('are bounded', () => {
    const goal = '\u{1F6A2}'.repeat(60_000);
    const [row] = withDecisions({ items: [], decisions: [decision(1, 1, { goal })], isAtWork: false });
    assert.ok(row?.type === 'decision' && row.goal.length <= 2001 && row.goal.isWellFormed());
  });
});

it('tokens and dollars are said in few words', () => {
  assert.deepEqual([0, 999, 18_240, 999_960].map(describeTokens), ['0', '999', '18.2k', '1.0M']);
  assert.deepEqual([50, 460, 3400, 12_000, 1_200_000].map(describeDollars), [
    'under $0.0001',
    '$0.0005',
    '$0.003',
    '$0.012',
    '$1.20',
  ]);
});
