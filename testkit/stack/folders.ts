import { spawnSync } from 'node:child_process';
import { lstatSync, mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Place, readJson, type ServiceUser, writeJson } from '@pilothouse/stack/services/place';

/** The checkout these scripts belong to. */
export const root = resolve(import.meta.dirname, '../..');
/** Where stacks are, each in a folder of its name. Tests have another one where memory can hold it. */
export const stacksDir = () => process.env.TEST_STACKS_DIR ?? join(root, '.dev');

export function stackFolderOf(name: string): Place {
  if (!/^[a-z0-9][a-z0-9-]{0,39}$/.test(name)) throw new Error(`not a name for a stack: ${JSON.stringify(name)}`);
  const dir = join(stacksDir(), name);
  const user = serviceUser();
  mkdirSync(dir, { recursive: true });
  const dataDir = user && !canReach(user, dir) ? dataOutside(dir, user) : join(dir, 'data');
  return { name, dir, dataDir, user };
}

function serviceUser(): ServiceUser {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of ['postgres', 'nobody']) {
    const uid = Number(spawnSync('id', ['-u', name], { encoding: 'utf8' }).stdout);
    const gid = Number(spawnSync('id', ['-g', name], { encoding: 'utf8' }).stdout);
    if (uid > 0) return { uid, gid };
  }
  throw new Error('run as root, but there is neither a user "postgres" nor "nobody" to run the services as');
}

function canReach(user: { uid: number; gid: number }, dir: string): boolean {
  return spawnSync('test', ['-x', dir], user).status === 0;
}

/**
 * A checkout in a folder that only root may enter cannot hold the services' data. Its place among the files of all
 * users has a name nobody can guess and prepare, so it is remembered.
 */
export function dataOutside(dir: string, user: ServiceUser): string {
  const file = join(dir, 'data-place');
  const remembered = readJson<string>(file);
  if (remembered !== undefined) return checked(remembered, user, dir);
  const made = mkdtempSync(join(tmpdir(), 'pilothouse-'));
  writeJson(file, made);
  return made;
}

/** The folder there may belong to another user by now, or be a link elsewhere. */
function checked(path: string, user: ServiceUser, dir: string): string {
  const found = lstatSync(path, { throwIfNoEntry: false });
  const owners = [process.getuid?.(), user?.uid];
  if (found?.isDirectory() && owners.includes(found.uid)) return path;
  throw new Error(`${path} is no folder of ours any more; to start over, remove ${dir}`);
}
