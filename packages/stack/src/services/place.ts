// Where the services, the logs and the notes of one stack lie. Files here hold passwords: they are for their owner only.

import { chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';

export type Place = {
  name: string;
  dir: string;
  /** What PostgreSQL and NATS keep. */
  dataDir: string;
  user: ServiceUser;
};
/** Who runs PostgreSQL and NATS: nobody special, unless we are root, whom PostgreSQL refuses. */
export type ServiceUser = { uid: number; gid: number } | undefined;

export function removePlace({ dir, dataDir }: Place): void {
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
