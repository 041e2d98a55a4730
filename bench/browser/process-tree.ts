import { readdirSync, readFileSync } from 'node:fs';

/** The process and all that came of it. */
function treeOf(pid: number): number[] {
  const parents = new Map<number, number[]>();
  for (const name of readdirSync('/proc').filter((one) => /^\d+$/.test(one))) {
    const parent = statOf(Number(name))?.[1];
    if (parent !== undefined) parents.set(Number(parent), [...(parents.get(Number(parent)) ?? []), Number(name)]);
  }
  const below = (one: number): number[] => [one, ...(parents.get(one) ?? []).flatMap(below)];
  return below(pid);
}

/** What stands behind the name, which may itself hold spaces. Undefined for a process that has gone. */
function statOf(pid: number): string[] | undefined {
  const text = read(`/proc/${pid}/stat`);
  return text?.slice(text.lastIndexOf(')') + 2).split(' ');
}

/** What they have used of the processors so far, in milliseconds; also those that have ended, if their parents waited. */
export function treeCpuMs(pid: number, options: { withEnded?: boolean } = {}): number {
  return treeOf(pid).reduce((sum, one) => sum + processCpuMs(one, options), 0);
}

/** The same of one process; 0 for one that has gone. */
export function processCpuMs(pid: number, { withEnded = false } = {}): number {
  const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = statOf(pid)?.slice(11, 15).map(Number) ?? [];
  return (user + system + (withEnded ? endedUser + endedSystem : 0)) * 10;
}

/** What they hold of the memory, shared pages shared out, in MiB. */
export const treePssMib = (pid: number): number => pssMibOf(treeOf(pid));

/** The same without the process itself: of a host, its browsers. */
export const treeBrowsersPssMib = (pid: number): number => pssMibOf(treeOf(pid).filter((one) => one !== pid));

function pssMibOf(pids: number[]): number {
  const kib = pids.map((one) => Number(/^Pss:\s+(\d+)/m.exec(read(`/proc/${one}/smaps_rollup`) ?? '')?.[1] ?? 0));
  return kib.reduce((sum, one) => sum + one, 0) / 1024;
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // Gone meanwhile.
    return undefined;
  }
}
