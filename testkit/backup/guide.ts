// Backup and restore of a stack by the very commands of the guide.

import { execFile } from 'node:child_process';
import { cpSync, mkdirSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { docBlock } from '../doc-blocks.ts';
import { root } from '../stack/folders.ts';
import { postgresProgram } from '../stack/services.ts';
import type { Stack } from '../stack/stack.ts';

const commandMs = 120_000;
const execute = promisify(execFile);

export const blobDirOf = (stack: Stack): string => join(stack.services.place.dir, 'blobs');
const keyOf = (stack: Stack) => join(stack.services.place.dir, 'profile.key');

/** Lines of the guide, for this installation and with its backup in this folder. */
const run = (code: string, stack: Stack, folder: string) =>
  execute('bash', ['-euo', 'pipefail', '-c', code.replaceAll('backup/', '"$BACKUP"/')], {
    cwd: root,
    timeout: commandMs,
    env: {
      ...process.env,
      // A server's own pg_dump, where it has one: that of an older release refuses it.
      PATH: [dirname(postgresProgram('postgres')), process.env.PATH].join(delimiter),
      DATABASE_URL: stack.services.databaseUrl(),
      BLOB_DIR: blobDirOf(stack),
      BACKUP: folder,
    },
  });

/** While it works. `snapshot` is an exported one of its database, so that the dump can be compared with what is read in it. */
export async function backUp(stack: Stack, folder: string, snapshot: string): Promise<void> {
  const { code } = docBlock('docs/operate/backup.md', 'pg_dump');
  await run(code.replace('pg_dump', `pg_dump --snapshot=${snapshot}`), stack, folder);
  mkdirSync(join(folder, 'apart'));
  cpSync(keyOf(stack), join(folder, 'apart/profile.key'));
}

/** Into a stack of which only the services run. Does not migrate yet: `migrate` does. */
export async function restore(stack: Stack, folder: string): Promise<{ migrate(): Promise<unknown> }> {
  cpSync(join(folder, 'apart/profile.key'), keyOf(stack));
  const [rows = '', blobs = '', migrate] = docBlock('docs/operate/backup.md', 'pg_restore').code.trim().split('\n');
  if (migrate !== 'npm run migrate') throw new Error(`the guide does not migrate after it restored: ${migrate}`);
  await run([rows, blobs].join('\n'), stack, folder);
  return { migrate: () => run(migrate, stack, folder) };
}
