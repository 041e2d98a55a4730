import assert from 'node:assert/strict';
import { it } from 'node:test';
import { readGuide, sections, withSections } from '../../testing/guide.ts';
import { findCommand, parseCommand } from './parse.ts';

it('the guide has the tables of the commands of now: node apps/cli/testing/guide.ts', () => {
  const guide = readGuide();
  assert.ok(Object.values(sections).every((text) => guide.includes(text)));
  assert.equal(withSections(guide), guide);
});

it('the guide shows only commands that are understood', () => {
  const lines = [...readGuide().matchAll(/^(?:\$ )?pilothouse ([^\n]+)$/gm)].map(([, words = '']) => words);
  assert.ok(lines.length > 15, `only ${lines.length}`);
  for (const line of lines) {
    // As a shell splits them, up to a pipe or another file.
    const words = [...(line.split(/ [|<>&#]/)[0]?.matchAll(/"([^"]*)"|(\S+)/g) ?? [])].map(
      ([, quoted, bare]) => quoted ?? bare ?? '',
    );
    assert.ok(findCommand(words), line);
    parseCommand(words);
  }
});
