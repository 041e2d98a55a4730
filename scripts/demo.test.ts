import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { type Client, createClient, runTask } from '@pilothouse/sdk';
import { commandsOf, docBlock } from '../testkit/doc-blocks.ts';
import { root, stacksDir } from '../testkit/stack/folders.ts';
import { freePort } from '../testkit/stack/ports.ts';
import { until } from '../testkit/until.ts';

const chromium = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium-headless-shell';
let demos = 0;

const answersAt = (baseUrl: string) =>
  fetch(`${baseUrl}/api/health`).then(
    ({ ok }) => ok,
    () => false,
  );

async function startDemo(command: (options: string) => string) {
  demos += 1;
  const name = `demo-${process.pid}-${demos}`;
  const [port, shopPort] = [await freePort(), await freePort()];
  const line = command(`--name ${name} --port ${port} --shop-port ${shopPort}`);
  // A group of its own, as a terminal gives each command.
  const shell = spawn('sh', ['-c', `${line}; true`], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  let said = '';
  shell.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  await until(() => said.includes('Open        http'), 90_000);
  const baseUrl = `http://127.0.0.1:${port}`;
  assert.ok(await answersAt(baseUrl));
  const isGone = () => until(async () => !existsSync(join(stacksDir(), name)) && !(await answersAt(baseUrl)), 60_000);
  return {
    baseUrl,
    shell,
    isGone,
    addressed: (text: string) =>
      text
        .replaceAll('http://127.0.0.1:4000', baseUrl)
        .replaceAll('http://127.0.0.1:4980', `http://127.0.0.1:${shopPort}`),
    /** Ctrl-C, which goes to the whole group. */
    async interrupt() {
      if (shell.pid === undefined) throw new Error('the demo has no process');
      process.kill(-shell.pid, 'SIGINT');
      await isGone();
    },
  };
}

/** As a reader types it, with a name and ports that are free. */
const asTold = (command: string) => (options: string) =>
  `${command.replace('/path/to/chromium-headless-shell', chromium)} -- ${options}`;

/** Whether a picture of the page comes to a viewer. */
async function firstFrame(client: Client, id: string): Promise<boolean> {
  for await (const { type } of client.followSession({ id }, { signal: AbortSignal.timeout(30_000) }))
    if (type === 'frame') return true;
  return false;
}

describe('the demo', () => {
  it('ends with everything of it when the shell that started it is ended', { timeout: 180_000 }, async () => {
    // As npm does it: a shell between, which does not pass signals on.
    const demo = await startDemo((options) => `${process.execPath} scripts/demo.ts ${options}`);
    demo.shell.kill('SIGTERM');
    await once(demo.shell, 'exit');
    await demo.isGone();
  });

  it('does what the first pages say, until Ctrl-C', { timeout: 240_000 }, async () => {
    const { code: command } = docBlock('docs/start/first-task.md', 'npm run demo');
    // The first line is that of the page about installing, which the test of bootstrap runs.
    const fromCheckout = commandsOf(docBlock('README.md', 'scripts/bootstrap'));
    assert.deepEqual(fromCheckout, [
      docBlock('docs/start/install.md', 'scripts/bootstrap').code.trim(),
      command.trim(),
    ]);
    const demo = await startDemo(asTold(command.trim()));

    const scripts = [
      docBlock('README.md', 'open http://127.0.0.1:4980/'),
      docBlock('docs/start/first-task.md', 'open http://127.0.0.1:4980/'),
    ];
    for (const { code } of scripts) {
      const client = createClient({ baseUrl: demo.baseUrl });
      const run = await runTask(client, { prompt: demo.addressed(code) });
      const watched = firstFrame(client, run.sessionId);
      assert.equal((await run.finished()).status, 'success');
      assert.ok(await watched, 'a frame was seen');
    }

    // A reader puts the id of the first answer into the others.
    const requests = demo.addressed(docBlock('docs/start/first-task.md', 'curl -X POST').code);
    const shell = async (text: string) =>
      (await promisify(execFile)('bash', ['-euc', text], { timeout: 60_000 })).stdout;
    const [chat = '', ...rest] = requests.split(/^(?=curl )/m);
    const { task_id } = JSON.parse(await shell(chat));
    const [events = '', status = '', ...none] = await Promise.all(
      rest.map((request) => shell(request.replace('TASK_ID', task_id))),
    );
    assert.deepEqual(none, []);
    assert.match(events, /^event: end$/m);
    assert.equal(JSON.parse(status).status.task_id ?? JSON.parse(status).status.id, task_id);
    await demo.interrupt();
  });

  it('takes the Chromium that is named', { timeout: 240_000 }, async () => {
    const { code } = docBlock('docs/start/install.md', 'CHROMIUM_PATH=');
    const demo = await startDemo(asTold(code.trim()));
    await demo.interrupt();
  });
});
