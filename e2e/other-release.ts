import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../testkit/stack/folders.ts';

/** A change to one file of the copy: what stands there, and what stands there instead. */
export type Edit = { file: string; from: string; to: string };

/** A copy of the programs with some of their code changed, as another release would have it. */
export async function copyRelease(edits: Edit[]): Promise<{ dir: string; close(): Promise<void> }> {
  const dir = await mkdtemp(join(tmpdir(), 'pilothouse-release-'));
  const close = () => rm(dir, { recursive: true, force: true });
  try {
    for (const part of ['apps', 'packages', 'package.json'])
      await cp(join(root, part), join(dir, part), { recursive: true, verbatimSymlinks: true });
    await linkModules(dir);
    for (const { file, from, to } of edits) {
      const text = await readFile(join(dir, file), 'utf8');
      if (!text.includes(from)) throw new Error(`${file} has no such place any more: ${from}`);
      await writeFile(join(dir, file), text.replace(from, to));
    }
    return { dir, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Ours are those of the copy; the others are the same for every release. */
async function linkModules(dir: string): Promise<void> {
  const modules = join(root, 'node_modules');
  await mkdir(join(dir, 'node_modules'));
  for (const name of await readdir(modules)) {
    const here = join(dir, 'node_modules', name);
    if (name === '@pilothouse') await cp(join(modules, name), here, { recursive: true, verbatimSymlinks: true });
    else await symlink(join(modules, name), here);
  }
}
