import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { startTime, until } from '../testkit/stack/daemon.ts';
import { root, stacksDir } from '../testkit/stack/folders.ts';
import { freePort, isListening } from '../testkit/stack/ports.ts';
import { createServices } from '../testkit/stack/services.ts';

type Part = { running: boolean; pid: number; port: number | null; ops_port?: number; log?: string };
type Status = { base_urls: string[]; processes: Record<string, Part>; services: Record<string, Part> };

const run = promisify(execFile);
const names = { one: `test-one-${process.pid}`, two: `test-two-${process.pid}` };

/** A shell with secrets in it, and with a setting that would hide the processes from us. */
const canary = 'canary-5a1e';
const shell = {
  ...process.env,
  DATABASE_URL: `postgresql://${canary}@127.0.0.1/production`,
  REPLICA_DATABASE_URL: `postgresql://${canary}@127.0.0.1/production`,
  ANTHROPIC_API_KEY: canary,
  MODEL_API_KEY: canary,
  OPS_HOST: '127.0.0.2',
  HOST_CAPACITY: '3',
};

/** The command as people type it; it prints one line of JSON and nothing else. */
async function stack(name: string, ...args: string[]): Promise<Status> {
  const { stdout } = await run(process.execPath, [join(root, 'scripts/stack.ts'), ...args, '--name', name], {
    timeout: 60_000,
    env: shell,
  });
  assert.equal(stdout.trim().split('\n').length, 1, 'one line');
  return JSON.parse(stdout);
}
const status = async (url: string) =>
  fetch(url, { signal: AbortSignal.timeout(3000) }).then(
    (answer) => answer.status,
    () => 0,
  );
const isRunning = (pid: number) => startTime(pid) !== undefined;
const partsOf = ({ processes, services }: Status) => Object.values({ ...processes, ...services });

describe('the stack', () => {
  after(async () => {
    for (const name of Object.values(names)) await stack(name, 'down', '--wipe').catch(() => {});
  });
  let one: Status;

  it('goes from nothing to ready in under 30 seconds', async () => {
    const port = await freePort();
    const begun = performance.now();
    one = await stack(names.one, 'up', '--port', String(port), '--servers', '2', '--disable-auth');
    const tookMs = performance.now() - begun;
    assert.ok(tookMs < 30_000, `${tookMs} ms`);
    console.log(`stack up: ${Math.round(tookMs)} ms`);
    assert.deepEqual(one.base_urls, [`http://127.0.0.1:${port}`, `http://127.0.0.1:${port + 1}`]);
    assert.deepEqual(Object.keys(one.processes).sort(), ['agent-1', 'browser-1', 'server-1', 'server-2']);
    for (const { running, pid } of partsOf(one)) assert.ok(running && isRunning(pid));
    for (const url of one.base_urls) assert.equal(await status(`${url}/api/ready`), 200);
  });

  it('hands no secret of the shell to a process, and to the browser host none at all', () => {
    const environOf = (name: string) => readFileSync(`/proc/${one.processes[name]?.pid}/environ`, 'utf8').split('\0');
    for (const name of Object.keys(one.processes))
      assert.ok(!environOf(name).some((line) => line.includes(canary)), `${name} knows the canary`);
    const browser = environOf('browser-1').map((line) => line.split('=', 1)[0]);
    assert.ok(!browser.includes('DATABASE_URL'));
    assert.ok(browser.includes('HOST_CAPACITY'), 'its own settings do reach it');
  });

  it('hands its own secrets to its processes by descriptors, not in their environment', () => {
    const written = readFileSync(join(stacksDir(), names.one, 'services.json'), 'utf8');
    const secrets = [...written.matchAll(/"([0-9a-f]{32})"/g)].map(([, secret]) => secret ?? '');
    secrets.push(readFileSync(join(stacksDir(), names.one, 'profile.key'), 'utf8'));
    assert.ok(secrets.length > 5);
    for (const [name, { pid }] of Object.entries(one.processes)) {
      const environ = readFileSync(`/proc/${pid}/environ`, 'utf8');
      assert.ok(!secrets.some((secret) => environ.includes(secret)), `${name} shows a secret`);
      assert.match(environ, /NATS_PASSWORD_FILE=\/dev\/fd\/\d/);
    }
  });

  it('signs its processes in as a role that has its database and nothing else', async () => {
    const client = new pg.Client(createServices(names.one).adminDatabaseUrl());
    await client.connect();
    const { rows } = await client.query(`
      select distinct usename, rolsuper, rolcreatedb, rolcreaterole, rolreplication, rolbypassrls
      from pg_stat_activity join pg_roles on rolname = usename
      where backend_type = 'client backend' and pid <> pg_backend_pid()`);
    await client.end();
    const none = {
      rolsuper: false,
      rolcreatedb: false,
      rolcreaterole: false,
      rolreplication: false,
      rolbypassrls: false,
    };
    assert.deepEqual(rows, [{ usename: 'pilothouse', ...none }]);
    for (const name of ['server-1', 'agent-1'])
      assert.doesNotMatch(readFileSync(one.processes[name]?.log ?? '', 'utf8'), /superuser/);
  });

  it('lives side by side with another of a different name', async () => {
    const two = await stack(names.two, 'up', '--port', String(await freePort()), '--agents', '0', '--browsers', '0');
    assert.equal(await status(`${two.base_urls[0]}/api/sessions`), 401, 'authentication is on unless switched off');
    assert.equal(await status(`${one.base_urls[0]}/api/sessions`), 200);
    await stack(names.two, 'down', '--wipe');
    assert.equal(await status(`${two.base_urls[0]}/api/health`), 0);
    assert.equal(await status(`${one.base_urls[0]}/api/ready`), 200, 'the other is not disturbed');
  });

  it('refuses a port that another process has', async () => {
    const taken = one.base_urls[0]?.split(':').at(-1) ?? '';
    await assert.rejects(stack(names.two, 'up', '--port', taken), /is taken/);
  });

  it('kills and starts one process, and the others go on', async () => {
    const killed = await stack(names.one, 'kill', 'agent-1');
    assert.equal(killed.processes['agent-1']?.running, false);
    const again = await stack(names.one, 'start', 'agent-1');
    assert.equal(again.processes['agent-1']?.running, true);
    assert.notEqual(again.processes['agent-1']?.pid, one.processes['agent-1']?.pid);
    for (const name of ['server-1', 'server-2', 'browser-1'])
      assert.equal(again.processes[name]?.pid, one.processes[name]?.pid);
  });

  for (const service of ['postgres', 'nats']) {
    it(`kill -9 of ${service}: the server turns not ready within 2 s, and ready within 5 s of its return`, async () => {
      const ready = `${one.base_urls[0]}/api/ready`;
      // The killing command itself takes a while to end, so the clock starts when the process is gone.
      const { pid } = (await stack(names.one, 'status')).services[service] ?? { pid: 0 };
      process.kill(pid, 'SIGKILL');
      const begun = performance.now();
      assert.ok(await until(async () => (await status(ready)) === 503, 2000), 'not ready within 2 s');
      const notReadyMs = Math.round(performance.now() - begun);
      assert.ok(notReadyMs < 2000, `${notReadyMs} ms`);
      assert.equal(await status(`${one.base_urls[0]}/api/health`), 200, 'but alive');
      if (service === 'postgres')
        assert.equal(await status(`${one.base_urls[0]}/api/sessions`), 503, 'the weather, not a bug');

      await sleep(500);
      const started = performance.now();
      await stack(names.one, 'start', service);
      assert.ok(await until(async () => (await status(ready)) === 200, 5000), 'ready within 5 s');
      const readyMs = Math.round(performance.now() - started);
      // Counted from the command that starts it, which is a second or so before its return.
      assert.ok(readyMs < 5000, `${readyMs} ms`);
      console.log(`${service}: not ready after ${notReadyMs} ms, ready ${readyMs} ms after the command that starts it`);
      assert.equal(await status(`${one.base_urls[0]}/api/sessions`), 200);

      const now = await stack(names.one, 'status');
      for (const name of ['server-1', 'server-2', 'browser-1']) {
        assert.equal(now.processes[name]?.pid, one.processes[name]?.pid, `${name} was not restarted`);
      }
      const host = `http://127.0.0.1:${one.processes['browser-1']?.ops_port}/ready`;
      assert.ok(await until(async () => (await status(host)) === 200, 15_000), 'the browser host has its lease again');
    });
  }

  it('stops a server within 10 seconds although a client holds a request open', async () => {
    const { port, pid, log = '' } = one.processes['server-1'] ?? { port: 0, pid: 0 };
    const socket = connect({ port: port ?? 0, host: '127.0.0.1' });
    socket.on('error', () => {});
    socket.write(
      'POST /api/sessions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{',
    );
    await sleep(200);
    const begun = performance.now();
    process.kill(pid, 'SIGTERM');
    assert.ok(await until(() => !isRunning(pid), 10_000));
    console.log(`graceful stop: ${Math.round(performance.now() - begun)} ms`);
    socket.destroy();
    assert.doesNotMatch(readFileSync(log, 'utf8'), /did not stop in time|failed to stop cleanly/);
  });

  it('leaves no process, no port and no folder when it goes down', async () => {
    const before = await stack(names.one, 'status');
    await stack(names.one, 'down', '--wipe');
    for (const { pid, port, ops_port } of partsOf(before)) {
      assert.ok(!pid || !isRunning(pid), `process ${pid} is gone`);
      for (const at of [port, ops_port]) assert.ok(!at || !(await isListening(at)), `port ${at} is free`);
    }
    for (const name of Object.values(names)) await stack(name, 'down', '--wipe');
    for (const name of Object.values(names)) assert.ok(!existsSync(join(stacksDir(), name)));
  });
});
