import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createGenerator } from '../../testing/random-steps.ts';
import { instructions } from './instructions.ts';
import { describeLine, markLine, suggestNext } from './mark-line.ts';
import { printScript } from './print.ts';

const marked = (line: string) => markLine(line).map(({ from, to, kind }) => `${kind} ${line.slice(from, to)}`);

describe('the marks of a line', () => {
  it('name its instruction, its words, texts, variables and comment', () => {
    assert.deepEqual(marked('  !type "{berth}" into button "Berth" -- "Say it" # why'), [
      'mark !',
      'instruction type',
      'text "{berth}"',
      'variable {berth}',
      'word into',
      'word button',
      'text "Berth"',
      'mark --',
      'text "Say it"',
      'comment # why',
    ]);
    assert.deepEqual(marked('let berth = "14"'), ['instruction let', 'variable berth', 'text "14"']);
    assert.deepEqual(marked('wait until url contains "/home" within 20 s').slice(0, 4), [
      'instruction wait',
      'instruction until',
      'word url',
      'word contains',
    ]);
    assert.deepEqual(marked('clik "Show"'), ['text "Show"']);
    assert.deepEqual(marked('click "Show'), ['instruction click', 'text "Show']);
  });

  it('stay inside the line and in order, whatever is written', () => {
    for (let seed = 1; seed <= 200; seed += 1) {
      const random = createGenerator(seed);
      const line = random.chance(0.5) ? random.text(200) : printScript(random.steps(1)).slice(random.below(5));
      let before = 0;
      for (const { from, to } of markLine(line)) {
        assert.ok(from >= before && to > from && to <= line.length, `seed ${seed}: ${line}`);
        before = from;
      }
    }
  });

  it('name the beginning of every instruction in every form', () => {
    for (const { phrases } of instructions) {
      for (const phrase of phrases) {
        const begun = markLine(`${phrase} `).filter(({ kind }) => kind === 'instruction');
        assert.equal(begun.length, phrase.split(' ').length, phrase);
      }
    }
  });
});

it('what comes next is a beginning, a word of the instruction, or nothing in a text or comment', () => {
  assert.deepEqual(suggestNext('cl'), { isBeginning: true });
  assert.deepEqual(suggestNext('  !'), { isBeginning: true });
  assert.deepEqual(suggested('wait f').slice(0, 2), ['for', 'until']);
  assert.deepEqual(suggested('dance w'), []);
  const into = suggestNext('type "x" in');
  assert.ok(!into.isBeginning && into.words.includes('into') && into.words.includes('button'));
  assert.deepEqual(
    suggested('click "Remove" i').filter((word) => word === 'in'),
    ['in'],
  );
  assert.deepEqual(suggestNext('type "x in'), { isBeginning: false, words: [] });
  assert.deepEqual(suggestNext('back # in'), { isBeginning: false, words: [] });
});

function suggested(before: string): string[] {
  const next = suggestNext(before);
  return next.isBeginning ? [] : next.words;
}

it('the instruction of a line is described by its forms and its other beginnings', () => {
  assert.deepEqual(describeLine('go to example.com'), {
    length: 5,
    shapes: ['open https://example.com'],
    others: ['open', 'goto', 'visit', 'navigate to'],
  });
  assert.equal(describeLine('dance'), undefined);
});
