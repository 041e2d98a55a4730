// One browser host as a process of its own, as root or as an ordinary user, and an agent of a few lines that drives it.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { type Bus, connectBus, heartbeat, queues } from '@pilothouse/bus';
import { startNats } from '@pilothouse/bus/testing';
import { drive } from '../../apps/browser/testing/host.ts';
import { root } from '../../testkit/stack/folders.ts';
import { until } from '../../testkit/until.ts';

export const hostId = 'lone';
const readyMs = 30_000;

export type HostUser = 'root' | 'not root';
const isRoot = process.getuid?.() === 0;
/** Only root can start one as root, or as another user. */
export const hostUsers: HostUser[] = isRoot ? ['root', 'not root'] : ['not root'];
/** The user that hosts run as which are not root, where we may choose. */
const ordinaryUid = 60_123;
export const firstUidOf = () => 200_000 + process.pid * 64;

export type LoneHost = {
  agent: Bus;
  pid: number;
  /** Where its browsers have their folders. */
  folder: string;
  open(): Promise<ReturnType<typeof drive>>;
};

/** Does the work with a host that is gone afterwards. */
export async function withLoneHost<T>(
  user: HostUser,
  env: Record<string, string>,
  work: (host: LoneHost) => Promise<T>,
): Promise<T> {
  const uid = user === 'root' ? 0 : isRoot ? ordinaryUid : (process.getuid?.() ?? 0);
  const nats = await startNats({ hosts: [hostId] });
  const agent = await connectBus(nats.as('agent'));
  const folder = await mkdtemp(join(tmpdir(), 'pilothouse-lone-'));
  let child: ReturnType<typeof spawn> | undefined;
  try {
    const grant = agent.respond(heartbeat, {}, () => ({ lease_ms: 30_000 }), { queue: queues.heartbeat });
    await grant.ready({ timeoutMs: 2000 });
    const places = await prepareFolder(folder, uid);
    child = start(places, uid, {
      PATH: process.env.PATH ?? '',
      HOME: places.tmp,
      TMPDIR: places.tmp,
      HOST_ID: hostId,
      HOST_CAPACITY: '4',
      HOST_WARM: '0',
      // No agent is there that could take its sessions over.
      HOST_DRAIN_SECS: '0',
      CHROMIUM_FIRST_UID: String(firstUidOf()),
      NATS_URL: nats.url,
      NATS_PASSWORD: nats.passwords.hosts[hostId] ?? '',
      OPS_PORT: '0',
      LOG_LEVEL: 'error',
      ...env,
    });
    const { pid = 0 } = child;
    const isThere = async () => {
      if (child?.exitCode !== null) throw new Error(`the host ended at once, as ${user}`);
      const answer = await drive(agent, hostId)
        .status()
        .catch(() => undefined);
      return answer?.ok === true;
    };
    await until(isThere, readyMs);
    const open = async () => {
      const session = drive(agent, hostId);
      const answer = await session.open();
      if (!answer.ok) throw new Error(`no session: ${JSON.stringify(answer)}`);
      return session;
    };
    return await work({ agent, pid, folder: places.tmp, open });
  } finally {
    if (child && child.exitCode === null && child.signalCode === null) {
      const gone = once(child, 'exit');
      child.kill('SIGTERM');
      await gone;
    }
    await agent.close();
    await nats.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}

type Places = { tmp: string; tree: string; node: string };

/** The checkout may lie where only root may go, so an ordinary user is shown it here. */
async function prepareFolder(folder: string, uid: number): Promise<Places> {
  const places = { tmp: join(folder, 'tmp'), tree: join(folder, 'tree'), node: join(folder, 'node') };
  await chmod(folder, 0o711);
  await mkdir(places.tmp, { mode: 0o711 });
  await mkdir(places.tree);
  await writeFile(places.node, '');
  if (isRoot) await chown(places.tmp, uid, uid);
  return places;
}

function start({ tree, node }: Places, uid: number, env: Record<string, string>) {
  const stdio: ('ignore' | 'inherit')[] = ['ignore', 'ignore', 'inherit'];
  const main = 'apps/browser/src/main.ts';
  if (!isRoot || uid === 0) return spawn(process.execPath, [join(root, main)], { env, stdio });
  const script = `mount --bind "$1" "$2" && mount --bind "$3" "$4" && cd "$2" &&
    exec setpriv --reuid=${uid} --regid=${uid} --clear-groups --inh-caps=-all "$4" ${main}`;
  return spawn('unshare', ['--mount', 'sh', '-c', script, 'sh', root, tree, process.execPath, node], { env, stdio });
}

export type Process = { pid: number; parent: number; args: string[]; status: string };

/** All processes that this one began, and those that they did. */
export async function processesUnder(pid: number): Promise<Process[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const all = await Promise.all(
    pids.map(async (one) => {
      const [status = '', line = ''] = await Promise.all(
        ['status', 'cmdline'].map((file) => readFile(`/proc/${one}/${file}`, 'utf8').catch(() => '')),
      );
      // Chromium writes its own over with spaces between.
      const args = line.split(/[\0 ]/).filter(Boolean);
      return { pid: one, parent: Number(/^PPid:\s+(\d+)/m.exec(status)?.[1]), args, status };
    }),
  );
  const under = new Set([pid]);
  for (let before = 0; before !== under.size; ) {
    before = under.size;
    for (const one of all) if (under.has(one.parent)) under.add(one.pid);
  }
  under.delete(pid);
  return all.filter((one) => under.has(one.pid) && !/^State:\s+Z/m.test(one.status));
}

/** Those that run the program of Chromium itself. */
export const areChromium = (processes: Process[]) =>
  processes.filter(({ args: [program = ''] }) => basename(program).startsWith('chrom'));
