import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type Bus, type Checkpoint, checkpoint, connectBus, type Heartbeat, heartbeat, queues } from '@pilothouse/bus';
import { type NatsForTest, startNats } from '@pilothouse/bus/testing';
import { until } from '../../../testkit/until.ts';
import { drive } from '../testing/host.ts';
import { chromiumPids, pidsOfUser } from '../testing/processes.ts';

const firstUid = 31_000;
const isRoot = process.getuid?.() === 0;

describe('a host process', () => {
  let nats: NatsForTest;
  let agent: Bus;
  let folder: string;
  let heard: Heartbeat['sessions'] = [];
  const children: ChildProcess[] = [];
  before(async () => {
    nats = await startNats({ hosts: ['h5'] });
    agent = await connectBus(nats.as('agent'));
    const grant = agent.respond(
      heartbeat,
      {},
      ({ sessions }) => {
        heard = sessions;
        return { lease_ms: 10_000 };
      },
      { queue: queues.heartbeat },
    );
    await grant.ready({ timeoutMs: 2000 });
    folder = await mkdtemp(join(tmpdir(), 'pilothouse-main-'));
    // The browsers' own users must get through to their folders inside.
    await chmod(folder, 0o711);
  });
  after(async () => {
    for (const child of children) child.kill('SIGKILL');
    await agent?.close();
    await nats?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const start = (): ChildProcess => {
    const child = spawn(process.execPath, [join(import.meta.dirname, 'main.ts')], {
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        TMPDIR: folder,
        HOST_ID: 'h5',
        HOST_WARM: '0',
        CHROMIUM_FIRST_UID: String(firstUid),
        NATS_URL: nats.url,
        NATS_PASSWORD: nats.passwords.hosts.h5,
        OPS_PORT: '0',
        LOG_LEVEL: 'warn',
      },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    children.push(child);
    return child;
  };
  const browsers = async () => [...(await chromiumPids(folder)), ...(isRoot ? await pidsOfUser(firstUid) : [])];
  const opened = async (session: ReturnType<typeof drive>) => {
    await until(async () => (await session.open().catch(() => undefined))?.ok === true, 20_000);
  };
  const noneLeftAfter = async () => {
    const begun = performance.now();
    await until(async () => (await browsers()).length === 0, 2000);
    return performance.now() - begun;
  };

  it('leaves no browser behind when it is killed, not even one that hangs; the next start removes its files', async () => {
    const first = start();
    const session = drive(agent, 'h5');
    await opened(session);
    const [pid] = await chromiumPids(folder);
    assert.ok(pid);
    process.kill(pid, 'SIGSTOP');
    first.kill('SIGKILL');
    const hungMs = await noneLeftAfter();
    assert.equal((await readdir(folder)).length, 1);

    const second = start();
    await opened(session);
    assert.deepEqual(await readdir(folder), [`pilothouse-browser-h5-${second.pid}`]);
    second.kill('SIGKILL');
    const ms = await noneLeftAfter();
    console.log(`killed host to no browser: ${Math.round(ms)} ms, a hanging one ${Math.round(hungMs)} ms`);
  });

  // Only root may inspect sandboxed processes, which hide themselves.
  it('runs the browser in its sandbox, and without our environment', { skip: !isRoot }, async () => {
    const host = start();
    await opened(drive(agent, 'h5'));
    const pids = await browsers();
    const read = (what: string) => Promise.all(pids.map((pid) => readFile(`/proc/${pid}/${what}`, 'utf8')));
    const [lines, states, environments] = await Promise.all([read('cmdline'), read('status'), read('environ')]);
    assert.ok(lines.every((line) => !line.includes('--no-sandbox')));
    assert.ok(environments.every((environment) => !environment.includes('NATS_PASSWORD')));
    const kindOf = (line: string) => /--type=([\w-]+)/.exec(line)?.[1] ?? 'browser';
    const kinds = new Set(lines.map(kindOf));
    for (const kind of ['browser', 'zygote', 'gpu-process', 'utility', 'renderer']) assert.ok(kinds.has(kind), kind);
    for (const [index, state] of states.entries()) assert.match(state, /^Seccomp:\s+2$/m, lines[index]);
    assert.ok(states.every((state) => state.includes(`Uid:\t${firstUid}\t${firstUid}`)));
    const gone = new Promise((resolve) => host.once('exit', resolve));
    host.kill('SIGTERM');
    await gone;
  });

  it('sends the states of its sessions when it is asked to stop', async () => {
    const kept: Checkpoint[] = [];
    const keeps = agent.respond(
      checkpoint,
      {},
      (message) => {
        kept.push(message);
        return { is_kept: true };
      },
      { queue: queues.checkpoint },
    );
    await keeps.ready({ timeoutMs: 2000 });
    const host = start();
    const session = drive(agent, 'h5');
    await opened(session);
    const url = 'data:text/html,<title>Last</title>';
    const { acted } = await session.act({ action: 'navigate', url });
    assert.ok(acted.state);
    const gone = new Promise((resolve) => host.once('exit', resolve));
    host.kill('SIGTERM');
    assert.equal(await gone, 0);
    assert.deepEqual(
      kept.map(({ session_id, epoch, state }) => [session_id, epoch, state.pages[0]?.url]),
      [[session.sessionId, 1, url]],
    );
    await keeps.close();
  });

  it('reports its sessions, and leaves nothing when it is asked to stop', async () => {
    heard = [];
    const host = start();
    const session = drive(agent, 'h5');
    await opened(session);
    await until(() => heard.length > 0, 5000);
    const [reported] = heard;
    assert.deepEqual(
      [heard.length, reported?.session_id, reported?.epoch, reported?.is_watched],
      [1, session.sessionId, 1, false],
    );
    const gone = new Promise((resolve) => host.once('exit', resolve));
    host.kill('SIGTERM');
    assert.equal(await gone, 0);
    assert.deepEqual(await browsers(), []);
    assert.deepEqual(await readdir(folder), []);
  });
});
