// A copy of the project in which files can be broken on purpose.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from './stack/folders.ts';

/** The files of the project as they are, with workspaces that lead into the copy and packages that lead out of it. */
export function copyProject(to: string): void {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' });
  for (const file of listed.split('\n').filter(Boolean)) {
    mkdirSync(dirname(join(to, file)), { recursive: true });
    cpSync(join(root, file), join(to, file));
  }
  const modules = join(to, 'node_modules');
  mkdirSync(modules);
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (name !== '@pilothouse') symlinkSync(join(root, 'node_modules', name), join(modules, name));
  }
  cpSync(join(root, 'node_modules/@pilothouse'), join(modules, '@pilothouse'), {
    recursive: true,
    verbatimSymlinks: true,
  });
}
