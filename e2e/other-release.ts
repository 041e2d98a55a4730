// The programs of another release, as its commit has them, beside those of this tree.

import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '../testkit/stack/folders.ts';

const run = promisify(execFile);
/** More than the sources take. */
const maxBytes = 256 * 1024 * 1024;

/**
 * The release from which an upgrade is possible without stopping everything. Move it when a release is made, and when the
 * changelog says that servers and agents have to be stopped for a migration.
 */
export const previousRelease = '0cbd364e9c72253acbea852f303a2d11b8be3d91';

/** Throws, and says why, where the commit is not in this clone, or needs other packages than this tree has. */
export async function checkOutRelease(commit: string): Promise<{ dir: string; close(): Promise<void> }> {
  await run('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: root }).catch(() => {
    throw new Error(`the commit ${commit} is not in this clone: fetch the whole history (git fetch --unshallow)`);
  });
  const dir = await mkdtemp(join(tmpdir(), 'pilothouse-release-'));
  const close = () => rm(dir, { recursive: true, force: true });
  try {
    const archive = join(dir, 'release.tar');
    const parts = ['apps', 'packages', 'package.json', 'package-lock.json'];
    await run('git', ['archive', '--output', archive, commit, ...parts], { cwd: root, maxBuffer: maxBytes });
    await run('tar', ['-xf', archive, '-C', dir]);
    await rm(archive);
    await requirePackages(dir, commit);
    await linkModules(dir);
    return { dir, close };
  } catch (error) {
    await close();
    throw error;
  }
}

type Lock = { packages: Record<string, { version?: string; dev?: boolean; link?: boolean }> };

/** Its packages are those that are installed here: any other version would not be the release. */
async function requirePackages(dir: string, commit: string): Promise<void> {
  const lockOf = async (folder: string): Promise<Lock> =>
    JSON.parse(await readFile(join(folder, 'package-lock.json'), 'utf8'));
  const [theirs, ours] = await Promise.all([lockOf(dir), lockOf(root)]);
  const other = Object.entries(theirs.packages).flatMap(([name, { version, dev, link }]) => {
    const isUsed = name.startsWith('node_modules/') && !dev && !link;
    return isUsed && ours.packages[name]?.version !== version ? `${name} ${version}` : [];
  });
  if (other.length > 0)
    throw new Error(`the release ${commit} needs packages that are not installed: ${other.join(', ')}`);
}

/** Ours are those of the copy; the others are the same for both. */
async function linkModules(dir: string): Promise<void> {
  const modules = join(root, 'node_modules');
  await mkdir(join(dir, 'node_modules'));
  for (const name of await readdir(modules)) {
    const here = join(dir, 'node_modules', name);
    if (name === '@pilothouse') await cp(join(modules, name), here, { recursive: true, verbatimSymlinks: true });
    else await symlink(join(modules, name), here);
  }
}
