// The commands that start one process by itself read the file that they name, and say which setting is wrong.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, it } from 'node:test';
import { commandsOf, docBlock } from '../testkit/doc-blocks.ts';
import { root } from '../testkit/stack/folders.ts';

const folder = mkdtempSync(join(tmpdir(), 'pilothouse-commands-'));
after(() => rmSync(folder, { recursive: true }));

for (const command of commandsOf(docBlock('docs/operate/commands.md', 'node --env-file=.env')))
  it(`a process that is told a wrong setting stops and names it: ${command}`, () => {
    const file = join(folder, '.env');
    writeFileSync(file, 'LOG_LEVEL=of-a-test\n');
    const { status, stdout, stderr } = spawnSync('sh', ['-c', command.replace('=.env', `=${file}`)], {
      cwd: root,
      encoding: 'utf8',
      timeout: 60_000,
      env: { PATH: process.env.PATH },
    });
    assert.deepEqual([status, /LOG_LEVEL/.test(stdout + stderr)], [2, true], stdout + stderr);
  });
