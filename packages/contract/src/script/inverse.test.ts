import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createGenerator } from '../../testing/random-steps.ts';
import { Step } from '../tasks/step.ts';
import { isScript, parseScript } from './parse.ts';
import { printScript } from './print.ts';

const seeds = Array.from({ length: 400 }, (_, index) => index + 1);

describe('parse and print', () => {
  it('are inverse for any steps the contract allows', () => {
    const actions = new Set<string>();
    let asJson = 0;
    for (const seed of seeds) {
      const steps = createGenerator(seed).steps(100);
      for (const step of steps) {
        assert.deepStrictEqual(Step.parse(step), step, `seed ${seed}: the generator made no step`);
        actions.add(step.action);
      }
      const printed = printScript(steps);
      const parsed = parseScript(printed);
      assert.ok(parsed.ok, `seed ${seed}: ${JSON.stringify(parsed)}`);
      assert.deepStrictEqual(parsed.steps, steps, `seed ${seed}`);
      assert.deepStrictEqual(
        parsed.lines,
        steps.map((_, index) => index + 1),
        `seed ${seed}: one line a step`,
      );
      assert.equal(printScript(parsed.steps), printed, `seed ${seed}`);
      assert.ok(isScript(printed));
      asJson += printed.split('\n').filter((line, index) => isJsonWithoutNeed(line, steps[index])).length;
    }
    assert.equal(actions.size, Step.options.length, 'every action was tried');
    assert.equal(asJson, 0, 'only what has no words is printed as JSON');
  });

  it('print steps without an instruction as JSON', () => {
    const plain: Step[] = [{ action: 'click', target: 'Pay', irreversible: false }];
    assert.equal(printScript(plain), 'step {"action":"click","target":"Pay","irreversible":false}');
    assert.deepEqual(parseScript(printScript(plain)), { ok: true, steps: plain, lines: [1] });

    // What a later contract may have: a field that no instruction says is never dropped.
    const later = { action: 'download', target: 'Report', folder: 'a\u2028b' } as unknown as Step;
    assert.equal(printScript([later]), 'step {"action":"download","target":"Report","folder":"a\\u2028b"}');
    const deeper = { action: 'hover', target: { text: 'Menu', exact: true } } as unknown as Step;
    assert.match(printScript([deeper]), /^step \{/);
    const choice: Step[] = [{ action: 'ask', question: 'Which?', kind: 'choice', choices: ['Red', 'Blue'] }];
    assert.match(printScript(choice), /^step \{/);
    assert.deepEqual(parseScript(printScript(choice)), { ok: true, steps: choice, lines: [1] });
    const records = { action: 'extract', kind: 'records', each: 'tr', fields: {}, as: 'rows' } as unknown as Step;
    assert.match(printScript([records]), /^step \{/);
  });
});

describe('any text', () => {
  it('is read without failing, and an error points into it', () => {
    let scripts = 0;
    for (const seed of seeds) {
      const random = createGenerator(seed);
      for (let round = 0; round < 25; round += 1) {
        const text = spoil(random);
        const parsed = parseScript(text, { variables: { name: 'Anna' } });
        if (parsed.ok) {
          scripts += 1;
          assert.ok(parsed.steps.every((step) => Step.safeParse(step).success));
          assert.deepEqual(parseScript(printScript(parsed.steps)), {
            ...parsed,
            lines: parsed.steps.map((_, index) => index + 1),
          });
        } else pointsInside(text, parsed.errors, `seed ${seed}, round ${round}`);
      }
    }
    assert.ok(scripts > 100, `${scripts} of the spoiled texts were scripts; too few to tell`);
  });

  it('of many mistakes shows twenty', () => {
    const parsed = parseScript('dance\n'.repeat(50));
    assert.equal(parsed.ok ? 0 : parsed.errors.length, 20);
  });

  it('cannot make variables grow without end', () => {
    const lines = ['let a = "0123456789"'];
    for (let line = 0; line < 60; line += 1) lines.push('let a = "{a}{a}{a}{a}{a}{a}{a}{a}{a}{a}"');
    const parsed = parseScript(lines.join('\n'));
    assert.ok(!parsed.ok);
    assert.match(parsed.errors[0]?.message ?? '', /longer than 20000/);
  });
});

function isJsonWithoutNeed(line: string, step: Step | undefined): boolean {
  return line.startsWith('step {') && step?.irreversible !== false;
}

/** A script with a few signs changed, or mere noise. */
function spoil({ below, chance, text, steps }: ReturnType<typeof createGenerator>): string {
  let script = chance(0.8) ? printScript(steps(1 + below(3))) : text(400);
  for (let changes = below(3); changes > 0; changes -= 1) {
    const at = below(script.length + 1);
    script = script.slice(0, at) + (chance(0.5) ? text(10) : '') + script.slice(at + below(4));
  }
  return script;
}

function pointsInside(text: string, errors: { line: number; column: number; message: string }[], where: string): void {
  const lines = text.split(/\r\n|\n|\r/);
  assert.ok(errors.length > 0 && errors.length <= 20, where);
  for (const { line, column, message } of errors) {
    const length = lines[line - 1]?.length;
    assert.ok(length !== undefined && column >= 1 && column <= length + 1, `${where}: ${line}:${column} ${message}`);
    assert.ok(message.length > 0 && message.length < 500, `${where}: ${message}`);
  }
}
