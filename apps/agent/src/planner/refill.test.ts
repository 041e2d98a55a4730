import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Step } from '@pilothouse/contract';
import type { StepRow } from '@pilothouse/store';
import { attemptsSince, fillsBefore } from './refill.ts';

const typed: Step = { action: 'type', target: 'Name', text: 'Ann' };
const chosen: Step = { action: 'select', target: 'Size', option: 'L' };
const ticked: Step = { action: 'check', target: 'Terms', checked: true };
const [press, load]: Step[] = [
  { action: 'click', target: 'Send' },
  { action: 'navigate', url: 'https://shop.test/' },
];
const [pause, ask]: Step[] = [
  { action: 'wait', for: { secs: 1 } },
  { action: 'ask', question: 'Really?' },
];

const since = new Date('2026-11-19T10:00:00Z');
const row = (index: number, epoch: number, status: StepRow['status'] = 'success', more: Partial<StepRow> = {}) =>
  ({ index, epoch, status, effect_at: since, ...more }) as StepRow;

type Case = {
  name: string;
  plan: (Step | undefined)[];
  rows: StepRow[];
  opened: number;
  lost?: number;
  under?: number;
};
/** The last step of each plan is the next one. */
const cases: Case[] = [
  { name: 'stands in the same browser', plan: [typed, press], rows: [row(1, 3)], opened: 2, under: 3 },
  { name: 'is lost with a browser', plan: [typed, press], rows: [row(1, 3)], opened: 4, lost: 1 },
  {
    name: 'is lost from the first field on, across steps that leave it alone',
    plan: [typed, pause, chosen, ask, ticked, press],
    rows: [row(1, 3), row(2, 3), row(3, 3), row(4, 3), row(5, 3)],
    opened: 4,
    lost: 1,
  },
  {
    name: 'is in the page again as far as it was filled in again',
    plan: [typed, chosen, press],
    rows: [row(1, 3), row(1, 4), row(2, 3)],
    opened: 4,
    lost: 2,
    under: 4,
  },
  {
    name: 'is still missing where filling it in again failed',
    plan: [typed, press],
    rows: [row(1, 3), row(1, 4, 'failed')],
    opened: 4,
    lost: 1,
  },
  {
    name: 'is still missing where filling it in again was cut',
    plan: [typed, press],
    rows: [row(1, 3), row(1, 4, 'interrupted', { may_have_acted: true })],
    opened: 4,
    lost: 1,
  },
  {
    name: 'is filled in again under the yes of a person that it needs now',
    plan: [typed, press],
    rows: [row(1, 3), row(1, 4, 'running', { approval_id: 'a' })],
    opened: 4,
    lost: 1,
  },
  {
    name: 'goes on to be filled in where that is under way',
    plan: [typed, press],
    rows: [row(1, 3), row(1, 4, 'running')],
    opened: 4,
    lost: 1,
  },
  { name: 'does not matter to a step that loads a page', plan: [typed, load], rows: [row(1, 3)], opened: 4 },
  {
    name: 'waits for the result of a step that is under way',
    plan: [typed, press],
    rows: [row(1, 3), row(2, 3, 'running')],
    opened: 4,
  },
  {
    name: 'before a click is not known to be missed',
    plan: [typed, press, pause],
    rows: [row(1, 3), row(2, 3)],
    opened: 4,
  },
  {
    name: 'that cannot be undone is not repeated',
    plan: [{ ...typed, irreversible: true }, press],
    rows: [row(1, 3)],
    opened: 4,
  },
  {
    name: 'that a person had to agree to is not repeated',
    plan: [typed, press],
    rows: [row(1, 3, 'success', { approval_id: 'a' })],
    opened: 4,
  },
  { name: 'is none before the first step', plan: [press], rows: [], opened: 4 },
];

describe('what was filled into a page', () => {
  for (const { name, plan, rows, opened, lost, under } of cases)
    it(name, () =>
      assert.deepEqual(fillsBefore(plan as Step[], rows, plan.length, opened), {
        ...(lost && { lost: { index: lost, since } }),
        ...(under && { filledUnder: under }),
      }),
    );

  it('has attempts of its own each time', () => {
    const [failed, done, cut] = [row(1, 1, 'failed'), row(1, 1), row(1, 2, 'interrupted')];
    assert.deepEqual(attemptsSince([failed, done, cut]), [cut]);
    assert.deepEqual(attemptsSince([failed, done]), []);
  });
});
