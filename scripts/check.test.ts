import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { root } from './dev/place.ts';

describe('the check, on a scratch copy of the project', () => {
  let copy: string;
  before(() => {
    copy = mkdtempSync(join(tmpdir(), 'pilothouse-copy-'));
    copyProject(copy);
  });
  after(() => rmSync(copy, { recursive: true, force: true }));

  const inCopy = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, args, {
      cwd: copy,
      encoding: 'utf8',
      timeout: 120_000,
    });
    return { status, text: stdout + stderr };
  };
  const typescript = join('node_modules', 'typescript', 'bin', 'tsc');
  /** Changes one file, runs the check, and puts the file back. */
  const checkWith = (file: string, change: (text: string) => string) => {
    const path = join(copy, file);
    const text = readFileSync(path, 'utf8');
    assert.notEqual(change(text), text, 'the change changes something');
    writeFileSync(path, change(text));
    try {
      return inCopy('scripts/check.ts');
    } finally {
      writeFileSync(path, text);
    }
  };

  it('finds nothing to say of the types and the imports as they are', () => {
    assert.deepEqual(inCopy(typescript, '--project', '.'), { status: 0, text: '' });
    assert.deepEqual(inCopy('scripts/imports.ts'), { status: 0, text: '' });
  });

  it('fails where the browser host imports the store', () => {
    const { status, text } = checkWith(
      'apps/browser/src/lease.ts',
      (source) => `import '@pilothouse/store';\n${source}`,
    );
    assert.equal(status, 1);
    assert.match(text, /apps\/browser\/src\/lease\.ts → packages\/store\/src\/index\.ts: apps\/browser imports only/);
    assert.match(text, /check: import directions failed/);
  });

  it('fails where a workspace has no rules, and where the browser host could go around them', () => {
    mkdirSync(join(copy, 'packages/extra'));
    const path = join(copy, 'apps/browser/src/lease.ts');
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, `import 'node:module';\n${text}`);
    const { status, text: said } = inCopy('scripts/imports.ts');
    writeFileSync(path, text);
    rmSync(join(copy, 'packages/extra'), { recursive: true });
    assert.equal(status, 1);
    assert.match(said, /packages\/extra is not in the table/);
    assert.match(said, /lease\.ts → (node:)?module: the browser host loads nothing/);
  });

  it('fails where two files import each other', () => {
    const { status, text } = checkWith('packages/sdk/src/errors.ts', (source) => `import './client.ts';\n${source}`);
    assert.equal(status, 1);
    assert.match(text, /no cycles/);
  });

  it('fails where an answer has a field of another name than the contract says', () => {
    const { status, text } = checkWith('apps/server/src/sessions/sessions.view.ts', (source) =>
      source.replace('last_task_id:', 'latest_task_id:'),
    );
    assert.equal(status, 1);
    assert.match(text, /sessions\.view\.ts.*latest_task_id/);
    assert.match(text, /check: types failed/);
  });
});

/** The files of the project as they are, with workspaces that lead into the copy and packages that lead out of it. */
function copyProject(to: string): void {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' });
  for (const file of listed.split('\n').filter(Boolean)) {
    mkdirSync(dirname(join(to, file)), { recursive: true });
    cpSync(join(root, file), join(to, file));
  }
  const modules = join(to, 'node_modules');
  mkdirSync(modules);
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (name !== '@pilothouse') symlinkSync(join(root, 'node_modules', name), join(modules, name));
  }
  cpSync(join(root, 'node_modules/@pilothouse'), join(modules, '@pilothouse'), {
    recursive: true,
    verbatimSymlinks: true,
  });
}
