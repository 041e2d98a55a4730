import { readdir, readFile } from 'node:fs/promises';

/** The processes whose command line names the folder: a Chromium says there where its profile is. */
export async function chromiumPids(folder: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(
    pids.map(async (pid) => [Number(pid), await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')] as const),
  );
  return lines.filter(([, line]) => line.includes('--user-data-dir=') && line.includes(folder)).map(([pid]) => pid);
}

/** The processes that run as this user. */
export async function pidsOfUser(uid: number): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const owners = await Promise.all(
    pids.map(async (pid) => {
      const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
      return { pid: Number(pid), uid: Number(/^Uid:\s+(\d+)/m.exec(status)?.[1]), isDead: /^State:\s+Z/m.test(status) };
    }),
  );
  return owners.filter((owner) => owner.uid === uid && !owner.isDead).map(({ pid }) => pid);
}

/** The processes that draw the pages of the browsers in this folder. */
export async function rendererPids(folder: string): Promise<number[]> {
  const browsers = new Set(await chromiumPids(folder));
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const known = await Promise.all(
    pids.map(async (pid) => {
      const [stat, line] = await Promise.all(
        ['stat', 'cmdline'].map((file) => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '')),
      );
      return {
        pid,
        parent: Number(/\) \S (\d+)/.exec(stat ?? '')?.[1]),
        isRenderer: line?.includes('--type=renderer'),
      };
    }),
  );
  const parents = new Map(known.map(({ pid, parent }) => [pid, parent]));
  const isBelow = (pid: number): boolean => {
    const parent = parents.get(pid);
    return parent !== undefined && parent > 1 && (browsers.has(parent) || isBelow(parent));
  };
  return known.filter(({ pid, isRenderer }) => isRenderer && isBelow(pid)).map(({ pid }) => pid);
}
