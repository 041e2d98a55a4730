import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { root, stacksDir } from '../testkit/stack/folders.ts';
import { freePort } from '../testkit/stack/ports.ts';
import { createStack } from '../testkit/stack/stack.ts';
import { until } from '../testkit/until.ts';

const answersAt = (url: string) =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );

describe('npm run dev', () => {
  it('starts again what changes, shows the console, and ends with its shell', { timeout: 240_000 }, async (test) => {
    const name = `dev-${process.pid}`;
    const [port, consolePort, shopPort] = [await freePort(), await freePort(), await freePort()];
    const ports = `--port ${port} --console-port ${consolePort} --shop-port ${shopPort}`;
    // As npm does it: a shell between, which does not pass signals on.
    const line = `${process.execPath} scripts/dev.ts --name ${name} --wipe ${ports}; true`;
    const shell = spawn('sh', ['-c', line], { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
    // Also where something fails: what it started ends with it.
    test.after(() => shell.kill('SIGKILL'));
    let said = '';
    shell.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    await until(() => said.includes('Open        http'), 120_000);
    const api = `http://127.0.0.1:${port}/api/health`;
    assert.ok(await answersAt(api));
    await until(() => answersAt(`http://127.0.0.1:${consolePort}/`), 60_000);
    // Through the console's own server, as the page asks.
    assert.ok(await answersAt(`http://127.0.0.1:${consolePort}/api/health`));

    const pidOf = (part: string) => createStack(name).status().processes[part]?.pid;
    const [server, agent] = [pidOf('server-1'), pidOf('agent-1')];
    // Another test may have changed a file before.
    const before = said.length;
    const now = new Date();
    utimesSync(join(root, 'apps/server/src/main.ts'), now, now);
    await until(() => said.includes('server-1: started again', before), 30_000);
    // It is said before the former one has ended, which still answers then.
    await until(async () => (pidOf('server-1') ?? server) !== server && (await answersAt(api)), 60_000);
    assert.equal(pidOf('agent-1'), agent);

    shell.kill('SIGTERM');
    await until(async () => !existsSync(join(stacksDir(), name)) && !(await answersAt(api)), 60_000);
    await until(async () => !(await answersAt(`http://127.0.0.1:${consolePort}/`)), 30_000);
  });
});
