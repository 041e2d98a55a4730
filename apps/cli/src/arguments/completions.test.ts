import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { Option } from './command.ts';
import { commands } from './commands.ts';
import { completionsOf } from './completions.ts';

/** What bash offers for the last of these words. */
function offered(...words: string[]): string[] {
  const line = words.map((word) => `'${word}'`).join(' ');
  const script = `${completionsOf('bash')}
    COMP_WORDS=(${line}); COMP_CWORD=${words.length - 1}; _pilothouse; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr, status } = spawnSync('bash', ['--norc', '-c', script], {
    encoding: 'utf8',
    cwd: '/',
    timeout: 10_000,
  });
  assert.equal(status, 0, stderr);
  assert.equal(stderr, '');
  return stdout.split('\n').filter(Boolean);
}

describe('completions', () => {
  it('of bash offer commands, options, their values, and words below a command', () => {
    assert.deepEqual(offered('pilothouse', 'lo'), ['login', 'logout', 'logs']);
    assert.deepEqual(offered('pilothouse', 'run', '--max'), ['--max-steps', '--max-cost']);
    assert.deepEqual(offered('pilothouse', 'run', '--planner', ''), ['auto', 'script', 'llm']);
    assert.deepEqual(offered('pilothouse', 'mcp', 'i'), ['install']);
    assert.deepEqual(offered('pilothouse', 'mcp', 'install', '--target', 'c'), [
      'claude-code',
      'claude-desktop',
      'cursor',
      'codex',
    ]);
    assert.deepEqual(offered('pilothouse', 'completion', 'f'), ['fish']);
    assert.ok(offered('pilothouse', 'run', 'et').includes('etc'), 'names of files');
    assert.deepEqual(offered('pilothouse', 'cancel', 'et'), []);
  });

  it('of every shell name every command and option', () => {
    for (const shell of ['bash', 'zsh', 'fish'] as const) {
      const text = completionsOf(shell);
      for (const { name, options } of commands) {
        for (const word of name.split(' ')) assert.ok(text.includes(word), `${shell}: ${name}`);
        for (const [option, { short }] of Object.entries<Option>(options)) {
          assert.ok(text.includes(option), `${shell}: ${name} --${option}`);
          const shown = { bash: `-${short}`, zsh: `{-${short},--${option}}`, fish: `-l ${option} -s ${short}` }[shell];
          if (short) assert.ok(text.includes(shown), `${shell}: ${name} -${short}`);
        }
      }
    }
  });

  for (const [shell, check] of [
    ['zsh', ['-n']],
    ['fish', ['--no-execute']],
  ] as const)
    it(`of ${shell} are read by ${shell}`, () => {
      const folder = mkdtempSync(join(tmpdir(), 'completions-'));
      const file = join(folder, 'completions');
      writeFileSync(file, completionsOf(shell));
      const { error, status, stderr } = spawnSync(shell, [...check, file], { encoding: 'utf8', timeout: 10_000 });
      rmSync(folder, { recursive: true });
      assert.equal(error, undefined, `${shell} is there: scripts/bootstrap installs it`);
      assert.equal(status, 0, stderr);
    });
});
