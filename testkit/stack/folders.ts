import { spawnSync } from 'node:child_process';
import {
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** The checkout these scripts belong to. */
export const root = resolve(import.meta.dirname, '../..');

/** Where the private services and the logs of one named stack live. */
export type StackFolder = { name: string; dir: string; dataDir: string; user: ServiceUser };
/** Who runs PostgreSQL and NATS: nobody special, unless we are root, whom PostgreSQL refuses. */
export type ServiceUser = { uid: number; gid: number } | undefined;

export function stackFolderOf(name: string): StackFolder {
  if (!/^[a-z0-9][a-z0-9-]{0,39}$/.test(name)) throw new Error(`not a name for a stack: ${JSON.stringify(name)}`);
  const dir = join(root, '.dev', name);
  const user = serviceUser();
  mkdirSync(dir, { recursive: true });
  const dataDir = user && !canReach(user, dir) ? dataOutside(dir, user) : join(dir, 'data');
  return { name, dir, dataDir, user };
}

export function removeStackFolder({ dir, dataDir }: StackFolder): void {
  rmSync(dataDir, { recursive: true, force: true });
  rmSync(dir, { recursive: true, force: true });
}

/** Makes a folder that the services' user owns. */
export function ownedDir(path: string, user: ServiceUser): string {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  if (user) chownSync(path, user.uid, user.gid);
  return path;
}

export function readJson<T>(path: string): T | undefined {
  // The files are our own, written by writeJson below.
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as T) : undefined;
}

/** Replaces the file in one move, so a reader never sees half of it. It holds passwords: for the owner only. */
export function writeJson(path: string, value: unknown): void {
  const next = `${path}.${process.pid}`;
  writeFileSync(next, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  renameSync(next, path);
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
