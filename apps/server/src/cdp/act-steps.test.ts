import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ProgramAct } from '@pilothouse/bus';
import { Step } from '@pilothouse/contract';
import { titleOf } from '@pilothouse/store';
import { lineOf } from './act-steps.ts';

const act = (kind: ProgramAct['kind'], more: Partial<ProgramAct> = {}): ProgramAct => ({
  ...{ kind, outcome: 'done', error: null, ago_ms: 10, run_ms: 5, count: 1 },
  ...more,
});
const box = { x: 1, y: 2, width: 3, height: 4 };
const button = { role: 'button', name: 'Pay', box };
const field = { role: 'textbox', name: 'Name', box };
const point = { x: 10.4, y: 20.6 };

const rows: [ProgramAct, title: string, action: string][] = [
  [act('navigate', { url: 'https://user:pw@shop.test/a' }), 'Open https://shop.test/a', 'navigate'],
  [act('navigate', { url: 'blob:https://shop.test/1' }), 'Open blob:https://shop.test/1', 'navigate'],
  [act('new_page', { url: '' }), 'Open a page', 'new_page'],
  [act('reload', { count: 3 }), 'Load again (3 times)', 'reload'],
  [act('history'), 'Go back or forward in the history', 'back'],
  [act('click', { element: button, point }), 'Click button "Pay"', 'click'],
  [act('click', { element: button, point, button: 'right' }), 'Right click button "Pay"', 'click'],
  [act('click', { point }), 'Click at 10, 21', 'click'],
  [
    act('click', { point, element: { role: '', name: '{{secret:github}}', box } }),
    'An act that cannot be described',
    'wait',
  ],
  [act('double_click', { element: button }), 'Double click button "Pay"', 'double_click'],
  [act('drag', { element: button, to: field }), 'Drag button "Pay" to textbox "Name"', 'drag'],
  [act('scroll', { delta: { x: 0.5, y: 99.6 }, count: 4 }), 'Scroll', 'scroll'],
  [act('type', { element: field, text: 'Zoë', chars: 3 }), 'Type into textbox "Name"', 'type'],
  [act('type', { element: field }), 'Type into textbox "Name"', 'type'],
  [act('type', { element: field, chars: 3 }), 'Type 3 characters into textbox "Name"', 'type'],
  [act('type', { chars: 3 }), 'Type 3 characters', 'type'],
  [act('press', { key: 'Control+A', count: 2 }), 'Press Control+A (2 times)', 'press'],
  [act('close_page'), 'Close a page', 'close_page'],
  [act('answer_dialog', { accept: false }), 'Dismiss the dialog', 'answer_dialog'],
  [act('several', { count: 40 }), '40 acts, faster than they are told one by one', 'wait'],
];

describe('an act of a program as a step', () => {
  it('is one of the contract, with a title that people read', () => {
    for (const [given, title, action] of rows) {
      const { step } = lineOf(given, 0);
      assert.deepEqual([titleOf(step), step.action], [title, action]);
      assert.ok(Step.safeParse(step).success, title);
    }
  });

  it('has what was typed where it may be known, and no password of an address', () => {
    const steps = rows.map(([given]) => lineOf(given, 0).step);
    const typed = steps.flatMap((step) => (step.action === 'type' ? step.text : []));
    assert.deepEqual(typed, ['Zoë', '••••••', '••••••', '••••••']);
    assert.doesNotMatch(JSON.stringify(steps), /user:pw/);
  });

  it('says how it ended, and where it was', () => {
    const done = lineOf(act('click', { element: button, point }), 7);
    assert.deepEqual([done.status, done.error, done.agoMs, done.bbox, done.point], ['success', null, 17, box, point]);
    const refused = lineOf(act('click', { point, outcome: 'refused', error: 'a person drives' }), 0);
    assert.deepEqual([refused.status, refused.error], ['failed', 'a person drives']);
    assert.equal(lineOf(act('reload', { outcome: 'unanswered', error: 'why' }), 0).status, 'interrupted');
  });
});
