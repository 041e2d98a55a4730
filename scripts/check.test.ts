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
  const change = (file: string, how: (text: string) => string) => {
    const path = join(copy, file);
    const text = readFileSync(path, 'utf8');
    assert.notEqual(how(text), text, 'the change changes something');
    writeFileSync(path, how(text));
  };
  const startsWith = (line: string) => (source: string) => `${line}\n${source}`;
  const write = (file: string, text = 'export {};\n') => {
    mkdirSync(join(copy, file, '..'), { recursive: true });
    writeFileSync(join(copy, file), text);
  };

  it('finds nothing to say of the imports and the lengths as they are', () => {
    assert.deepEqual(inCopy('scripts/imports.ts'), { status: 0, text: '' });
    assert.deepEqual(inCopy('scripts/lengths.ts'), { status: 0, text: '' });
  });

  it('fails where an answer has a field of another name than the contract says, and says in which part', () => {
    const view = 'apps/server/src/sessions/sessions.view.ts';
    change(view, (source) => source.replace('last_task_id:', 'latest_task_id:'));
    const { status, text } = inCopy('scripts/check.ts');
    change(view, (source) => source.replace('latest_task_id:', 'last_task_id:'));
    assert.equal(status, 1);
    assert.match(text, /sessions\.view\.ts.*latest_task_id/);
    assert.match(text, /check: types failed/);
  });

  // Each look at all imports takes as long as for one fault: all of them are made at once.
  describe('with many faults fails where', () => {
    const lease = 'apps/browser/src/host/lease.ts';
    const errors = 'packages/sdk/src/common/errors.ts';
    const found = { imports: { status: 0 as number | null, text: '' }, lengths: '', layout: '' };
    before(() => {
      mkdirSync(join(copy, 'packages/extra'));
      change(lease, startsWith("import '@pilothouse/store';\nimport 'node:module';"));
      change(errors, startsWith("import '../client/client.ts';"));
      change(errors, (source) => `${source}\nexport function longWinded() {\n${'  void 0;\n'.repeat(400)}}\n`);
      change('apps/browser/src/dom/injected/element/roles.ts', startsWith("import '../../../common/id.ts';"));
      change('e2e/order.test.ts', startsWith("import {} from '../chaos/cancel/cancel.ts';"));
      write('apps/agent/src/loose.ts');
      write('apps/agent/src/cellar/jar.ts');
      change('scripts/rooms.ts', (rows) =>
        rows.replace("policy: { what: 'May a step run again, or must a person decide?', imports: ['ledger'] }", (row) =>
          row.replace("'ledger'", "'ledger', 'common'"),
        ),
      );
      found.imports = inCopy('scripts/imports.ts');
      for (const part of ['lengths', 'layout'] as const) {
        const { status, text } = inCopy(`scripts/${part}.ts`, '--verify');
        found[part] = `${status} ${text}`;
      }
    });

    const rows: [what: string, says: RegExp][] = [
      [
        'the browser host imports the store',
        /host\/lease\.ts → packages\/store\/src\/index\.ts: apps\/browser imports only/,
      ],
      ['a workspace has no rules', /packages\/extra is not in the table/],
      ['the browser host could go around them', /lease\.ts → (node:)?module: the browser host loads nothing/],
      ['two files import each other', /no cycles/],
      [
        'a room imports one that its row does not name',
        /element\/roles\.ts → .*common\/id\.ts: apps\/browser\/src\/dom\/injected\/element imports no other room/,
      ],
      ['a file lies loose', /apps\/agent\/src\/loose\.ts lies in no room/],
      ['a folder has no row', /apps\/agent\/src\/cellar is not in the table/],
      ['an arrow is not used', /apps\/agent\/src\/policy may import common and does not/],
      ['a test of one tool imports another tool', /a test of e2e imports chaos\/cancel\/cancel\.ts/],
    ];
    for (const [what, says] of rows) {
      it(what, () => {
        assert.equal(found.imports.status, 1);
        assert.match(found.imports.text, says);
      });
    }

    it('a function or a file is too long', () => {
      assert.match(found.lengths, /^1 /);
      assert.match(found.lengths, /errors\.ts has \d+ lines, and may have 350/);
      assert.match(found.lengths, /errors\.ts longWinded has 402 lines, and may have 80/);
    });

    it('the picture of the layout is another', () => assert.match(found.layout, /^1 [\s\S]*layout\.md is stale/));
  });
});
