import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Plan, type Step } from '@pilothouse/contract';
import { taskTitleOf, titleOf } from '../views/progress.ts';
import { strikeTyped, strikeTypedIn, struckText, typedTextsOf, withoutTypedText } from './typed-text.ts';

describe('typed text', () => {
  const type = (text: string, title?: string): Step => ({ action: 'type', target: 'Password', text, title });

  it('is struck wherever it stands; a short one only as a word of its own', () => {
    const rows: [typed: string[], text: string, expected: string][] = [
      [['hunter2'], 'hunter2', struckText],
      [['hunter2'], 'xhunter2x and hunter2', `x${struckText}x and ${struckText}`],
      [['a'], 'a cat has a paw', `${struckText} cat has ${struckText} paw`],
      [['12'], 'the code 12, not 123', `the code ${struckText}, not 123`],
      [['(.*)$&\\'], 'is (.*)$&\\ wrong?', `is ${struckText} wrong?`],
      [['пароль', '密码'], 'пароль и 密码', `${struckText} и ${struckText}`],
      [[' padded '], 'is padded wrong?', `is ${struckText} wrong?`],
      [['hunter', 'hunter22'], 'hunter22', struckText],
      [['', '  '], 'a  b', 'a  b'],
    ];
    for (const [typed, text, expected] of rows) {
      const steps = typed.map((one) => type(one));
      assert.equal(strikeTyped(text, typedTextsOf(steps)), expected, text);
    }
  });

  it('is struck from all JSON values, also from names of fields', () => {
    const read = { hunter2: ['hunter2', 1, null, { deep: 'no hunter2' }] };
    const expected = { [struckText]: [struckText, 1, null, { deep: `no ${struckText}` }] };
    assert.deepEqual(strikeTypedIn(read, ['hunter2']), expected);
  });

  it('is in no title', () => {
    const titles: [Step, string][] = [
      [type('hunter2'), 'Type into "Password"'],
      [type('hunter2', 'Say hunter2'), `Say ${struckText}`],
      [{ action: 'answer_dialog', accept: true, text: 'hunter2' }, 'Answer dialog'],
      [{ action: 'answer_dialog', accept: true, text: 'hunter2', title: 'hunter2!' }, `${struckText}!`],
      [{ action: 'navigate', url: 'https://anna:hunter2@shop.test/a' }, 'Open https://shop.test/a'],
      [{ action: 'navigate', url: 'https://shop.test/a?b=c' }, 'Open https://shop.test/a?b=c'],
      [{ action: 'click', target: { name: 'Remove', within: 'Brass lantern' } }, 'Click "Remove" in "Brass lantern"'],
      [
        { action: 'type', text: 'hunter2', target: { role: 'textbox', name: 'Code', within: 'Card', frame: 'Pay' } },
        'Type into "textbox Code" in "Card" in frame "Pay"',
      ],
      [{ action: 'press', key: 'h' }, 'Press a key'],
      [{ action: 'press', key: 'Shift+H' }, 'Press a key'],
      [{ action: 'press', key: 'Control+A' }, 'Press Control+A'],
    ];
    for (const [step, expected] of titles) assert.equal(titleOf(step), expected);
    assert.equal(taskTitleOf([{ action: 'navigate', url: 'data:text/html,hunter2' }]), 'Open data:');
  });

  it('is taken out of a plan that stays a plan, whatever was typed', () => {
    const steps: Step[] = [
      { action: 'navigate', url: 'https://shop.test/?word=hunter2' },
      type('hunter2', 'Say hunter2'),
      { action: 'answer_dialog', accept: true, text: 'sesame' },
      { action: 'press', key: 'x' },
      { action: 'wait', for: { text: 'Welcome, hunter2' } },
      { action: 'click', target: { role: 'button', name: 'sesame' }, irreversible: true },
      { action: 'extract', kind: 'records', as: 'all', each: '.hunter2', fields: { name: { css: 'b', type: 'text' } } },
      { action: 'ask', question: 'Is hunter2 right?', until: { url: '/sesame' } },
    ];
    const struck = withoutTypedText(steps, typedTextsOf(steps));
    assert.doesNotMatch(JSON.stringify(struck), /hunter2|sesame|"x"/);
    assert.deepEqual(
      struck.map(({ action }) => action),
      steps.map(({ action }) => action),
    );
    assert.deepEqual(struck[5], { ...steps[5], target: { role: 'button', name: struckText } });

    // Words of the contract itself.
    for (const word of ['https', 'text', 'records', 'name', 'action', 'a'.repeat(200)]) {
      const odd = [...steps, type(word, word), { action: 'click', target: word } as Step];
      const plan = { steps: withoutTypedText(odd, typedTextsOf(odd)) };
      assert.deepEqual(Plan.parse(plan), plan, word);
      assert.equal(plan.steps.length, odd.length);
    }
  });
});
