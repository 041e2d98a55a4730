import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { root } from '../testkit/stack/folders.ts';
import { freePort } from '../testkit/stack/ports.ts';
import { until } from '../testkit/until.ts';

it('the demo ends with everything of it when the shell that started it is ended', { timeout: 180_000 }, async () => {
  const name = `demo-${process.pid}`;
  const [port, shopPort] = [await freePort(), await freePort()];
  const command = `${process.execPath} scripts/demo.ts --name ${name} --port ${port} --shop-port ${shopPort}; true`;
  // As npm does it: a shell between, which does not pass signals on.
  const shell: ChildProcess = spawn('sh', ['-c', command], { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  shell.stdout?.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  await until(() => said.includes('Open        http'), 90_000);
  const answers = () =>
    fetch(`http://127.0.0.1:${port}/api/health`).then(
      ({ ok }) => ok,
      () => false,
    );
  assert.ok(await answers());
  shell.kill('SIGTERM');
  await once(shell, 'exit');
  await until(async () => !existsSync(join(root, '.dev', name)) && !(await answers()), 60_000);
});
