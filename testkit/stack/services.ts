// The private PostgreSQL and NATS of one named stack of this checkout, of the programs that bootstrap installed.
import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import type { PostgresProgram } from '@pilothouse/stack/services/postgres';
import { createServices as createServicesAt, type ServicePrograms } from '@pilothouse/stack/services/services';
import { root, stackFolderOf } from './folders.ts';
import { copyCluster, keepCluster } from './postgres-template.ts';

export { type ServiceName, type Services, serviceNames } from '@pilothouse/stack/services/services';

const programs: ServicePrograms = {
  postgres: (): PostgresProgram => ({
    postgres: postgresProgram('postgres'),
    initdb: postgresProgram('initdb'),
    templates: { copy: copyCluster, keep: keepCluster },
    // Off where a run throws the cluster away: waiting for the disk is most of the time that small tests take.
    isSynced: process.env.TEST_POSTGRES_FSYNC !== 'off',
  }),
  // Debian puts it where an ordinary user's PATH does not look.
  nats: () => (existsSync('/usr/sbin/nats-server') ? '/usr/sbin/nats-server' : 'nats-server'),
};

export const createServices = (name: string) => createServicesAt(stackFolderOf(name), programs);

/** Debian keeps the server's programs off the PATH, in a folder per version: take the newest, unless tests want another. */
export function postgresProgram(name: string): string {
  const wanted = process.env.TEST_POSTGRES_BIN;
  if (wanted) return join(resolve(root, wanted), name);
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [...versions.map((v) => join(debian, v, 'bin')), ...(process.env.PATH ?? '').split(delimiter)];
  const found = folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
  if (!found) throw new Error(`${name} not found: run scripts/bootstrap`);
  return found;
}
