import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { docBlocks } from '../../../../testkit/doc-blocks.ts';
import { Step } from '../tasks/step.ts';
import { instructions } from './instructions.ts';
import { parseScript } from './parse.ts';
import { printScript } from './print.ts';

const guide = readFileSync(new URL('../../../../docs/guides/scripts.md', import.meta.url), 'utf8');
const section = (title: string) => guide.split(/^## /m).find((part) => part.startsWith(`${title}\n`)) ?? '';
const rowsOf = (title: string) =>
  section(title)
    .split('\n')
    .filter((line) => /^\| `/.test(line))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
const code = (cell = '') => [...cell.matchAll(/`([^`]+)`/g)].map(([, said = '']) => said);

describe('the guide', () => {
  it('shows only scripts that can be read', () => {
    const scripts = [
      ...docBlocks('docs/guides/scripts.md', 'script'),
      ...docBlocks('docs/guides/secrets.md', 'script'),
    ];
    assert.equal(scripts.length, 9);
    for (const { code: script } of scripts) {
      const parsed = parseScript(script);
      assert.ok(parsed.ok, `${script}${JSON.stringify(parsed)}`);
      assert.ok(parsed.steps.length > 0);
    }
  });

  it('has an example of every instruction, in the form that is printed', () => {
    const rows = rowsOf('Instructions').map(([example]) => code(example)[0] ?? '');
    const said = rows.map((example) => {
      const parsed = parseScript(example);
      assert.ok(parsed.ok && parsed.steps.length === 1, `${example} ${JSON.stringify(parsed)}`);
      if (!/^step|^fill/.test(example)) assert.equal(printScript(parsed.steps), example);
      return parsed.steps[0]?.action;
    });
    for (const { shape } of Step.options) assert.ok(said.includes(shape.action.value), `${shape.action.value}`);
    for (const { phrases } of instructions)
      assert.ok(
        rows.some((row) => row.startsWith(phrases[0])),
        `no example of ${phrases[0]}`,
      );
  });

  it('names every other word for an instruction', () => {
    const words = rowsOf('Instructions').flat().flatMap(code).join('\n');
    for (const phrase of instructions.flatMap(({ phrases }) => phrases)) {
      if (!phrase.endsWith(' on')) assert.ok(words.includes(phrase), phrase);
    }
  });

  it('quotes errors as they are', () => {
    const rows = rowsOf('When a line is not understood');
    assert.equal(rows.length, 5);
    for (const [line, column, message] of rows) {
      const parsed = parseScript(code(line)[0] ?? '');
      assert.ok(!parsed.ok, line);
      assert.deepEqual([String(parsed.errors[0]?.column), parsed.errors[0]?.message], [column, message]);
    }
  });
});
