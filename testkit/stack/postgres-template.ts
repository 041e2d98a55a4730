// A cluster as initdb makes it, kept and copied: initdb takes a second of the processor, and most tests start a cluster.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from './folders.ts';

const templateOf = (version: string) =>
  join(root, 'node_modules/.cache/postgres', createHash('sha256').update(version).digest('hex').slice(0, 16));

/** Returns whether there was one of this version to copy. */
export function copyCluster(version: string, data: string): boolean {
  const template = templateOf(version);
  if (!existsSync(template)) return false;
  copyFolder(`${template}/.`, data);
  return true;
}

/** It has no settings of a stack yet, and a password that nobody knows. */
export function keepCluster(version: string, data: string): void {
  const template = templateOf(version);
  const own = `${template}.${process.pid}`;
  mkdirSync(dirname(template), { recursive: true });
  copyFolder(data, own);
  try {
    renameSync(own, template);
  } catch {
    // Another run was first, and has kept the same.
    rmSync(own, { recursive: true, force: true });
  }
}

/** With owners and rights: PostgreSQL refuses a folder that others may read. */
function copyFolder(from: string, to: string): void {
  const { status, stderr } = spawnSync('cp', ['--archive', '--reflink=auto', from, to], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`the cluster cannot be copied: ${stderr}`);
}
