// Finds programs: in packages beside this one, in folders, and on the PATH. Starts none.

import { existsSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { delimiter, dirname, join } from 'node:path';

/** The folder of an installed package; nothing where npm left it out, as it does for other platforms. */
export function packageFolder(name: string): string | undefined {
  try {
    const file = findPackageJSON(name, import.meta.url);
    return file && dirname(file);
  } catch {
    return undefined;
  }
}

export const firstOf = (paths: string[]): string | undefined => paths.find((path) => existsSync(path));

export const onPath = (name: string, path = process.env.PATH ?? ''): string[] =>
  path
    .split(delimiter)
    .filter(Boolean)
    .map((folder) => join(folder, name));
