// What the processes of each session take, as the kernel tells it. Read many times a minute for all sessions at once, so
// only what costs little is read: `smaps_rollup` would know better who shares which memory, and takes over a hundred
// times as long.

import { readdirSync, readFileSync } from 'node:fs';

/** The kernel counts time for us in hundredths of a second, whatever it does inside. */
const tickMs = 10;
/** The owner of a pid is read again at least once in this many samples, in case it was given to another process meanwhile. */
const askAgain = 20;

/** Whose processes are counted together: all of a user, or where users are shared, all of a process group. */
export type Owner = { pid: number; uid: number | undefined };

export type ResourceUse = {
  memoryBytes: number;
  processes: number;
  threads: number;
  /** Processor time since the sample before. */
  cpuMs: number;
  pids: number[];
};

type Stat = { group: number; cpuMs: number; startedAt: number };
type Status = { uid: number; isDead: boolean; threads: number; memoryBytes: number };

/** The name in brackets may hold anything, so what counts begins after the last bracket. */
export function parseStat(text: string): Stat {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const at = (index: number) => Number(fields[index]);
  return { group: at(2), cpuMs: (at(11) + at(12)) * tickMs, startedAt: at(19) };
}

/** Memory that no file backs: of what the processes of a Chromium share, that leaves out nearly all. */
export function parseStatus(text: string): Status {
  const at = (key: string) => Number(new RegExp(`^${key}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0);
  return {
    uid: at('Uid'),
    isDead: /^State:\s+[ZX]/m.test(text),
    threads: at('Threads'),
    memoryBytes: (at('RssAnon') + at('RssShmem')) * 1024,
  };
}

export type ProcessTable<Key> = {
  add(key: Key, owner: Owner): void;
  remove(key: Key): void;
  /** What each takes now. */
  sample(): Map<Key, ResourceUse>;
};

type Member<Key> = { key: Key; startedAt: number; cpuMs: number };

export function createProcessTable<Key>(root = '/proc'): ProcessTable<Key> {
  const owners = new Map<Key, Owner>();
  const members = new Map<number, Member<Key>>();
  const strangers = new Set<number>();
  /** Their time before they were added is not theirs to answer for. */
  const fresh = new Set<Key>();
  let turn = 0;

  function read(pid: number, file: 'stat' | 'status'): string | undefined {
    try {
      // Not from a disk: the answer is there at once.
      return readFileSync(`${root}/${pid}/${file}`, 'utf8');
    } catch {
      return undefined;
    }
  }

  function ownerOf(stat: Stat, status: Status): Key | undefined {
    for (const [key, { pid, uid }] of owners) {
      if (uid === undefined ? stat.group === pid : status.uid === uid) return key;
    }
    return undefined;
  }

  function count(pid: number, taken: Map<Key, ResourceUse>): void {
    const known = members.get(pid);
    const [statText, statusText] = [read(pid, 'stat'), read(pid, 'status')];
    if (!statText || !statusText) return void members.delete(pid);
    const [stat, status] = [parseStat(statText), parseStatus(statusText)];
    const isSame = known?.startedAt === stat.startedAt;
    const key = isSame ? known?.key : ownerOf(stat, status);
    const sum = key === undefined ? undefined : taken.get(key);
    if (key === undefined || !sum) {
      members.delete(pid);
      strangers.add(pid);
      return;
    }
    members.set(pid, { key, startedAt: stat.startedAt, cpuMs: stat.cpuMs });
    if (status.isDead) return;
    const before = isSame ? (known?.cpuMs ?? 0) : fresh.has(key) ? stat.cpuMs : 0;
    sum.memoryBytes += status.memoryBytes;
    sum.processes += 1;
    sum.threads += status.threads;
    sum.cpuMs += stat.cpuMs - before;
    sum.pids.push(pid);
  }

  return {
    add(key, owner) {
      owners.set(key, owner);
      fresh.add(key);
      strangers.clear();
    },
    remove(key) {
      owners.delete(key);
      fresh.delete(key);
    },
    sample() {
      turn = (turn + 1) % askAgain;
      const taken = new Map<Key, ResourceUse>();
      for (const key of owners.keys()) {
        taken.set(key, { memoryBytes: 0, processes: 0, threads: 0, cpuMs: 0, pids: [] });
      }
      if (owners.size === 0) return taken;
      const pids = new Set(readdirSync(root).map(Number).filter(Number.isSafeInteger));
      for (const known of [strangers, members]) for (const pid of known.keys()) if (!pids.has(pid)) known.delete(pid);
      for (const pid of pids) if (!strangers.has(pid) || pid % askAgain === turn) count(pid, taken);
      fresh.clear();
      return taken;
    },
  };
}
