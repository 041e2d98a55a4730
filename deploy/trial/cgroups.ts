// Groups of processes that an engine made. Their folders stay when the processes end, also when it was killed.
import { existsSync } from 'node:fs';
import { readdir, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from '../../testkit/until.ts';

const mounted = '/sys/fs/cgroup';
const goneMs = 10_000;

/** Throws if some are left, because a process of them lives on. */
export async function removeGroups(name: string): Promise<void> {
  const controllers = [mounted, ...(await readdir(mounted)).map((one) => join(mounted, one))];
  const found = controllers.map((controller) => join(controller, name)).filter((folder) => existsSync(folder));
  await until(async () => {
    for (const folder of found) await removeTree(folder);
    return found.every((folder) => !existsSync(folder));
  }, goneMs);
}

async function removeTree(folder: string): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) if (entry.isDirectory()) await removeTree(join(folder, entry.name));
  // Refused for a moment while a process is just leaving; the caller asks again.
  await rmdir(folder).catch(() => {});
}
