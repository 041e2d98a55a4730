import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { copyProject } from '../testkit/scratch-copy.ts';

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
      timeout: 300_000,
    });
    return { status, text: stdout + stderr };
  };
  /** Changes one file, runs the whole check or one part of it, and puts the file back. */
  const checkWith = (file: string, change: (text: string) => string, part = 'scripts/check.ts') => {
    const path = join(copy, file);
    const text = readFileSync(path, 'utf8');
    assert.notEqual(change(text), text, 'the change changes something');
    writeFileSync(path, change(text));
    try {
      return inCopy(part);
    } finally {
      writeFileSync(path, text);
    }
  };
  const startsWith = (line: string) => (source: string) => `${line}\n${source}`;

  it('finds nothing to say of the imports and the lengths as they are', () => {
    assert.deepEqual(inCopy('scripts/imports.ts'), { status: 0, text: '' });
    assert.deepEqual(inCopy('scripts/lengths.ts'), { status: 0, text: '' });
  });

  it('fails where the browser host imports the store', () => {
    const { status, text } = checkWith('apps/browser/src/host/lease.ts', startsWith("import '@pilothouse/store';"));
    assert.equal(status, 1);
    assert.match(
      text,
      /apps\/browser\/src\/host\/lease\.ts → packages\/store\/src\/index\.ts: apps\/browser imports only/,
    );
    assert.match(text, /check: import directions failed/);
  });

  it('fails where a workspace has no rules, and where the browser host could go around them', () => {
    mkdirSync(join(copy, 'packages/extra'));
    const { status, text } = checkWith(
      'apps/browser/src/host/lease.ts',
      startsWith("import 'node:module';"),
      'scripts/imports.ts',
    );
    rmSync(join(copy, 'packages/extra'), { recursive: true });
    assert.equal(status, 1);
    assert.match(text, /packages\/extra is not in the table/);
    assert.match(text, /lease\.ts → (node:)?module: the browser host loads nothing/);
  });

  it('fails where two files import each other', () => {
    const { status, text } = checkWith(
      'packages/sdk/src/common/errors.ts',
      startsWith("import '../client/client.ts';"),
      'scripts/imports.ts',
    );
    assert.equal(status, 1);
    assert.match(text, /no cycles/);
  });

  it('fails where a room imports one that its row does not name', () => {
    const { status, text } = checkWith(
      'apps/browser/src/dom/injected/element/roles.ts',
      startsWith("import '../../../common/id.ts';"),
      'scripts/imports.ts',
    );
    assert.equal(status, 1);
    assert.match(
      text,
      /element\/roles\.ts → .*common\/id\.ts: apps\/browser\/src\/dom\/injected\/element imports no other room/,
    );
  });

  it('fails where a function or a file is too long', () => {
    const { status, text } = checkWith(
      'packages/sdk/src/common/errors.ts',
      (source) => `${source}\nexport function longWinded() {\n${'  void 0;\n'.repeat(400)}}\n`,
      'scripts/lengths.ts',
    );
    assert.equal(status, 1);
    assert.match(text, /errors\.ts has \d+ lines, and may have 350/);
    assert.match(text, /errors\.ts longWinded has 402 lines, and may have 80/);
  });

  it('fails where a file lies loose, where a folder has no row, and where an arrow is not used', () => {
    const loose = join(copy, 'apps/agent/src/loose.ts');
    const folder = join(copy, 'apps/agent/src/cellar');
    const table = join(copy, 'scripts/rooms.ts');
    const rows = readFileSync(table, 'utf8');
    writeFileSync(loose, 'export {};\n');
    mkdirSync(folder);
    writeFileSync(join(folder, 'jar.ts'), 'export {};\n');
    writeFileSync(
      table,
      rows.replace("policy: { what: 'May a step run again, or must a person decide?', imports: ['ledger'] }", (row) =>
        row.replace("'ledger'", "'ledger', 'common'"),
      ),
    );
    const { status, text: said } = inCopy('scripts/imports.ts');
    const layout = inCopy('scripts/layout.ts', '--verify');
    writeFileSync(table, rows);
    rmSync(loose);
    rmSync(folder, { recursive: true });
    assert.equal(status, 1);
    assert.match(said, /apps\/agent\/src\/loose\.ts lies in no room/);
    assert.match(said, /apps\/agent\/src\/cellar is not in the table/);
    assert.match(said, /apps\/agent\/src\/policy may import common and does not/);
    assert.deepEqual([layout.status, /layout\.md is stale/.test(layout.text)], [1, true]);
  });

  it('fails where a test of one tool imports another tool', () => {
    const { status, text } = checkWith(
      'e2e/order.test.ts',
      startsWith("import {} from '../chaos/cancel/cancel.ts';"),
      'scripts/imports.ts',
    );
    assert.equal(status, 1);
    assert.match(text, /a test of e2e imports chaos\/cancel\/cancel\.ts/);
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
