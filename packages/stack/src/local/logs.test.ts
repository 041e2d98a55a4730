import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { firstInvitation, lastWords, setOldLogsAside } from './logs.ts';

it('a log says why a process ended, and who may become the administrator', () => {
  const folder = mkdtempSync(join(tmpdir(), 'logs-'));
  const log = join(folder, 'server-1.log');
  try {
    writeFileSync(
      log,
      [
        '{"level":"info","msg":"ready"}',
        '{"level":"warn","open":"/register#invite=x","msg":"open this path"}',
        '',
      ].join('\n'),
    );
    assert.equal(firstInvitation(log), '/register#invite=x');
    assert.deepEqual(lastWords(log), []);
    setOldLogsAside(folder);
    assert.deepEqual(readdirSync(folder), ['server-1.log.old']);
    writeFileSync(
      log,
      'a setting is wrong\n{"level":"fatal","msg":"could not start","err":{"message":"no sandbox"}}\n',
    );
    assert.equal(firstInvitation(log), undefined);
    assert.deepEqual(lastWords(log), ['a setting is wrong', 'could not start', 'no sandbox']);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
