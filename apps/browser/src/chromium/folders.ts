// Where the files of running browsers lie. The name tells whose they are, so that what a killed host left behind is
// found and removed by the next one to start.

import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { bestEffort } from '../common/best-effort.ts';

const prefix = 'pilothouse-browser-';

export type Folder = { path: string; close(): Promise<void> };

export async function openHostFolder(parent: string, hostId: string, pid = process.pid): Promise<Folder> {
  const path = join(parent, `${prefix}${hostId}-${pid}`);
  const names = (await readdir(parent)).filter((name) => name.startsWith(prefix));
  const stale = names.map((name) => join(parent, name)).filter((other) => other === path || !isAlive(pidOf(other)));
  // What belongs to another user of the machine stays.
  await Promise.all(stale.map((other) => bestEffort('remove an old folder', remove(other))));
  // Passable, not listable: the browsers' own users must reach their folders inside.
  await mkdir(path, { mode: 0o711 });
  return { path, close: () => remove(path) };
}

export async function openSessionFolder(parent: string): Promise<Folder> {
  const path = await mkdtemp(join(parent, 's-'));
  return { path, close: () => remove(path) };
}

const remove = (path: string) => rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });

function pidOf(path: string): number {
  return Number(/-(\d+)$/.exec(path)?.[1]);
}

function isAlive(pid: number): boolean {
  if (!Number.isSafeInteger(pid)) return true;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
