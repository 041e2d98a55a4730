import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { startTime } from './daemon.ts';
import { root, stacksDir } from './folders.ts';

it('a stack that a test opened is gone after Ctrl-C', async () => {
  const name = `test-of-process-${process.pid}`;
  const code = `import { before, it } from 'node:test';
    import { createStackOfProcess } from '${new URL('./stack-of-process.ts', import.meta.url).href}';
    const { services } = createStackOfProcess(process.argv[1]);
    before(() => services.start('postgres'));
    it('waits', () => {
      process.stderr.write('pid ' + services.status().postgres.pid);
      return new Promise(() => setInterval(() => {}, 1000));
    });`;
  const args = ['--input-type=module-typescript', '--eval', code, name];
  // Without what this test's own runner says to its files.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const child = spawn(process.execPath, args, { cwd: root, env, timeout: 60_000, stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(child, 'exit');
  const [said] = await once(child.stderr.setEncoding('utf8'), 'data');
  const postgres = Number(String(said).replace('pid ', ''));
  assert.ok(startTime(postgres), said);
  child.kill('SIGINT');
  await ended;
  assert.equal(startTime(postgres), undefined);
  assert.ok(!existsSync(join(stacksDir(), name)));
});
