// The trial of the images: builds them, runs an installation of them in a network of its own, and leaves nothing behind.
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { prepareBases, type Release } from './bases.ts';
import { removeGroups } from './cgroups.ts';
import { runPhase } from './namespaces.ts';

/** On the Docker engine of each of these releases: all of it on the newest, and on older ones what an engine can break. */
export async function runTrial(releases: Release[], signal: AbortSignal): Promise<void> {
  if (process.getuid?.() !== 0) throw new Error('the trial has to be root: it makes namespaces and mounts');
  if (!existsSync('/usr/bin/mmdebstrap'))
    throw new Error('as root, run: apt-get install --no-install-recommends mmdebstrap');
  const started = performance.now();
  const prepared = await prepareBases(releases, signal);
  const newest = releases.toSorted().at(-1);
  const work = await mkdtemp(join(tmpdir(), 'pilothouse-images-'));
  try {
    await runPhase({ phase: 'build', work, tree: prepared.builder, extent: 'whole', prepared }, signal);
    for (const { release, tree } of prepared.engines) {
      const begun = performance.now();
      await clear(work);
      await runPhase({ phase: 'run', work, tree, extent: release === newest ? 'whole' : 'short', prepared }, signal);
      console.log(`images: it works on the engine of ${release} (${Math.round((performance.now() - begun) / 1000)} s)`);
    }
  } finally {
    await removeGroups(basename(work));
    // What a killed engine had mounted is gone a moment after it.
    await rm(work, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 });
  }
  const left = (await readFile('/proc/self/mounts', 'utf8')).split('\n').filter((line) => line.includes(work));
  if (left.length > 0) throw new Error(`mounts are left behind:\n${left.join('\n')}`);
  console.log(`images: all of it works (${Math.round((performance.now() - started) / 1000)} s)`);
}

/** An older engine does not understand what BuildKit kept, and nothing is built any more. And each has an installation of its own. */
async function clear(work: string): Promise<void> {
  for (const one of ['data/buildkit', 'installation', 'exec'])
    await rm(join(work, one), { recursive: true, force: true, maxRetries: 20, retryDelay: 200 });
}
