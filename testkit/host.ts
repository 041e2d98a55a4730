// A browser host as it is run, with an agent of a few lines: it grants the lease, and drives sessions.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectBus, heartbeat, queues, report } from '@pilothouse/bus';
import { startNats } from '@pilothouse/bus/testing';
import { drive } from '../apps/browser/testing/host.ts';
import { chromiumPids } from '../apps/browser/testing/processes.ts';
import { root } from './stack/folders.ts';
import { until } from './until.ts';

export const hostId = 'shot';

type Options = { leaseMs: number; capacity?: number; warm?: number; firstUid?: number; sites?: string[] };

export async function startShotHost({ leaseMs, capacity = 8, warm = 1, firstUid = 40_000, sites = [] }: Options) {
  const nats = await startNats({ hosts: [hostId] });
  const agent = await connectBus(nats.as('agent'));
  const folder = await mkdtemp(join(tmpdir(), 'pilothouse-chaos-'));
  // The browsers' own users must get through to their folders inside.
  await chmod(folder, 0o711);
  let isGranting = true;
  let elsewhere: { session_id: string; epoch: number }[] = [];
  let crashes = 0;
  const grant = agent.respond(
    heartbeat,
    {},
    () => {
      if (!isGranting) throw new Error('no agent is there');
      return { lease_ms: leaseMs, opened_elsewhere: elsewhere };
    },
    { queue: queues.heartbeat },
  );
  const heard = agent.respond(
    report,
    {},
    ({ type }) => {
      if (type === 'crashed') crashes += 1;
      return {};
    },
    { queue: queues.report },
  );
  await Promise.all([grant.ready({ timeoutMs: 2000 }), heard.ready({ timeoutMs: 2000 })]);

  let child: ChildProcess | undefined;
  async function start(): Promise<ChildProcess> {
    const started = spawn(process.execPath, [join(root, 'apps/browser/src/main.ts')], {
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        TMPDIR: folder,
        HOST_ID: hostId,
        HOST_CAPACITY: String(capacity),
        HOST_WARM: String(warm),
        // No agent is there that could take its sessions over.
        HOST_DRAIN_SECS: '0',
        CHROMIUM_FIRST_UID: String(firstUid),
        NATS_URL: nats.url,
        NATS_PASSWORD: nats.passwords.hosts[hostId],
        GUARD_ALLOW_LOOPBACK_PORTS: sites.map((url) => new URL(url).port).join(','),
        OPS_PORT: '0',
        LOG_LEVEL: 'error',
      },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    child = started;
    await until(async () => (await status())?.capacity === capacity, 30_000);
    return started;
  }

  async function status() {
    const answer = await drive(agent, hostId)
      .status()
      .catch(() => undefined);
    return answer?.ok ? answer.status : undefined;
  }

  return {
    agent,
    folder,
    start,
    status,
    pid: () => child?.pid ?? 0,
    kill: (signal: NodeJS.Signals) => void child?.kill(signal),
    /** With `openedElsewhere`, the host is told that other hosts have these sessions. */
    setGranting: (granting: boolean, openedElsewhere: typeof elsewhere = []) => {
      isGranting = granting;
      elsewhere = openedElsewhere;
    },
    crashes: () => crashes,
    isWarm: async () => ((await status())?.warm ?? 0) >= warm,
    browsers: () => chromiumPids(folder),
    /** The folders of browsers, warm ones too. */
    async folders(): Promise<string[]> {
      const hosts = await readdir(folder);
      const inside = await Promise.all(hosts.map((name) => readdir(join(folder, name)).catch(() => [])));
      return inside.flat();
    },
    async close() {
      if (child && child.exitCode === null && child.signalCode === null) {
        const gone = once(child, 'exit');
        child.kill('SIGKILL');
        await gone;
      }
      await agent.close();
      await nats.close();
      await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
}
export type ShotHost = Awaited<ReturnType<typeof startShotHost>>;
