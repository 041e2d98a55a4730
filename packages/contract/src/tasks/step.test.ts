import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Action, Step, Target } from './step.ts';

const samples: { [A in Action]: Extract<Step, { action: A }> } = {
  navigate: { action: 'navigate', url: 'https://example.com' },
  back: { action: 'back' },
  forward: { action: 'forward' },
  reload: { action: 'reload' },
  click: { action: 'click', target: { role: 'button', name: 'Send' }, irreversible: true, title: 'Send the form' },
  double_click: { action: 'double_click', target: 'Row' },
  hover: { action: 'hover', target: { text: 'Menu' } },
  type: { action: 'type', target: { label: 'Name' }, text: '' },
  press: { action: 'press', key: 'Enter' },
  select: { action: 'select', target: 'Country', option: 'Chile' },
  check: { action: 'check', target: 'Agree', checked: false },
  upload: { action: 'upload', target: { css: 'input[type=file]' }, file: 'cv.pdf' },
  scroll: { action: 'scroll', delta_y: -300 },
  drag: { action: 'drag', from: { ref: 'e1' }, to: { ref: 'e2' } },
  wait: { action: 'wait', for: { idle: true }, timeout_secs: 5 },
  extract: { action: 'extract', kind: 'table', target: 'Prices', as: 'prices' },
  screenshot: { action: 'screenshot' },
  new_page: { action: 'new_page' },
  close_page: { action: 'close_page' },
  focus_page: { action: 'focus_page', page: 'p1' },
  answer_dialog: { action: 'answer_dialog', accept: true, text: 'yes' },
  download: { action: 'download', target: 'Report' },
  ask: { action: 'ask', question: 'Log in, please.', until: { url: '/home' } },
};

test('each action is read as it is written', () => {
  for (const sample of Object.values(samples)) assert.deepEqual(Step.parse(sample), sample);
});

test('a wait is for one thing', () => {
  for (const reason of [{ text: 'Done' }, { selector: '#done' }, { url: '/done' }, { idle: true }, { secs: 0.5 }]) {
    assert.ok(Step.safeParse({ action: 'wait', for: reason }).success, JSON.stringify(reason));
  }
  for (const reason of [{}, { text: 'a', url: 'b' }, { idle: false }, { secs: -1 }, { secs: 601 }, 'Done']) {
    assert.ok(!Step.safeParse({ action: 'wait', for: reason }).success, JSON.stringify(reason));
  }
});

test('a target is one of the ways to name a thing, never a mixture', () => {
  for (const target of ['Send', { name: 'Send' }, { role: 'button', name: 'Send' }, { text: 'x' }, { css: '#a' }]) {
    assert.ok(Target.safeParse(target).success, JSON.stringify(target));
  }
  for (const way of [
    { name: 'Send' },
    { role: 'button', name: 'Send' },
    { text: 'x' },
    { label: 'x' },
    { ref: 'e1' },
  ]) {
    const target = { ...way, frame: 'pay.example.com' };
    assert.deepEqual(Target.parse(target), target);
  }
  for (const target of [
    '',
    {},
    { frame: 'Payment' },
    { name: 'Send', frame: '' },
    { role: 'button' },
    { text: 'a', css: 'b' },
    { ref: 'e1', extra: 1 },
    { css: '\0' },
    5,
  ]) {
    assert.ok(!Target.safeParse(target).success, JSON.stringify(target));
  }
});

test('text that cannot be stored is refused in any step', () => {
  for (const bad of ['a\0', '\ud800']) {
    assert.ok(!Step.safeParse({ action: 'type', target: 'Name', text: bad }).success);
    assert.ok(!Step.safeParse({ action: 'reload', title: bad }).success);
    assert.ok(!Step.safeParse({ action: 'ask', question: 'Who?', until: { text: bad } }).success);
  }
});

test('a question has two to eight different choices where its kind is choice, and none otherwise', () => {
  const accepts = (more: object) => Step.safeParse({ action: 'ask', question: 'Which?', ...more }).success;
  assert.ok(accepts({ kind: 'choice', choices: ['Red', 'Blue'] }));
  for (const kind of ['question', 'yes_no', 'drive']) assert.ok(accepts({ kind }));
  for (const choices of [undefined, ['Red'], ['Red', 'Red'], Array.from({ length: 9 }, (_, i) => `${i}`), ['', 'x']])
    assert.ok(!accepts({ kind: 'choice', choices }), JSON.stringify(choices));
  for (const more of [{ choices: ['Red', 'Blue'] }, { kind: 'yes_no', choices: ['Red', 'Blue'] }, { kind: 'doubt' }])
    assert.ok(!accepts(more), JSON.stringify(more));
});
