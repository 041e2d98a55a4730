// Builds the console when its sources changed. A stamp beside what was built says what it was built of.

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { withLock } from '@pilothouse/stack/services/lock';
import { root } from './stack/folders.ts';

const dist = join(root, 'apps/console/dist');
const stamp = '.built-of';

/** Everything that goes into it. Which packages are installed is in the lock file. */
const sources = ['apps/console', 'packages/sdk/src', 'packages/contract/src', 'package-lock.json'];

/** Returns whether it had to be built. Throws with Vite's words if that failed. */
export function buildConsole({ force = false } = {}): Promise<boolean> {
  return withLock(dist, async () => {
    const now = await digestSources();
    const built = existsSync(join(dist, 'index.html')) ? await readFile(join(dist, stamp), 'utf8').catch(() => '') : '';
    if (!force && built === now) return false;
    // Beside it, so that a server that starts meanwhile finds the old one whole.
    const fresh = `${dist}.new`;
    await runVite(fresh);
    await writeFile(join(fresh, stamp), now);
    await rm(dist, { recursive: true, force: true });
    await rename(fresh, dist);
    return true;
  });
}

async function digestSources(): Promise<string> {
  const files = (await Promise.all(sources.map(listFiles))).flat().sort();
  const hash = createHash('sha256');
  for (const file of files)
    hash
      .update(relative(root, file))
      .update('\0')
      .update(await readFile(file))
      .update('\0');
  return hash.digest('hex');
}

async function listFiles(source: string): Promise<string[]> {
  if (/\.json$/.test(source)) return [join(root, source)];
  const entries = await readdir(join(root, source), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !/\/(dist|dist\.new|node_modules)\//.test(file));
}

async function runVite(outDir: string): Promise<void> {
  const vite = join(root, 'node_modules/vite/bin/vite.js');
  const child = spawn(process.execPath, [vite, 'build', '--outDir', outDir, '--emptyOutDir', '--logLevel', 'warn'], {
    cwd: join(root, 'apps/console'),
    env: { ...process.env, NODE_ENV: 'production' },
    stdio: ['ignore', 'pipe', 'pipe'],
    signal: AbortSignal.timeout(300_000),
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (said += text));
  const { promise, resolve, reject } = Promise.withResolvers<number | null>();
  child.once('error', reject).once('close', resolve);
  const code = await promise;
  if (code !== 0) throw new Error(`the console cannot be built:\n${said}`);
}
