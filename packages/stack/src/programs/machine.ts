// What this machine has and lacks for a whole installation. Changes nothing.

import { existsSync } from 'node:fs';
import { release } from 'node:os';
import { findChromium } from './chromium.ts';
import { firstOf, onPath } from './find-file.ts';
import { consolePage } from './parts.ts';
import { findNats, findPostgres } from './services.ts';

export type MachineFinding = {
  name: string;
  /** What is there, or what is wrong. */
  what: string;
  isMissing: boolean;
  /** How to get it. */
  hint?: string;
};

const good = (name: string, what: string): MachineFinding => ({ name, what, isMissing: false });
const missing = (name: string, what: string, hint: string): MachineFinding => ({ name, what, isMissing: true, hint });
const found = (name: string, path: string | undefined, hint: string): MachineFinding =>
  path ? good(name, path) : missing(name, 'not here', hint);

export const chromiumHint =
  'Debian, Ubuntu: apt-get install chromium-headless-shell; elsewhere: npx playwright-core install chromium-headless-shell. CHROMIUM_PATH names another.';

export function inspectMachine(): MachineFinding[] {
  return [
    system(process.platform, process.arch, release()),
    user(process.getuid?.()),
    found('PostgreSQL', findPostgres()?.postgres, 'Install PostgreSQL 15 or newer, with initdb.'),
    found('NATS', findNats(), 'Install nats-server 2.9 or newer.'),
    found('Chromium', findChromium(), chromiumHint),
    found('perl', firstOf(onPath('perl')), 'Install perl: it puts a filter of system calls on each browser.'),
    found('setpriv', firstOf(onPath('setpriv')), 'Install util-linux: setpriv starts browsers with fewer rights.'),
    existsSync(consolePage) ? good('Console', consolePage) : missing('Console', 'is not built', 'npm run build'),
  ];
}

export function system(platform: string, arch: string, kernel: string): MachineFinding {
  const what = `${platform} ${arch}`;
  const elsewhere =
    'Use a Linux machine (x64 or arm64), also a virtual one: with this command, or with Docker Compose (docs/operate/compose.md of the project).';
  if (platform !== 'linux') return missing('System', `${what}: Pilothouse runs on Linux only`, elsewhere);
  if (!['x64', 'arm64'].includes(arch)) return missing('System', `${what}: there is no build for it`, elsewhere);
  const [major = 0, minor = 0] = kernel.split('.').map(Number);
  if (major < 5 || (major === 5 && minor < 9)) return missing('System', `Linux ${kernel}`, 'Use Linux 5.9 or newer.');
  return good('System', `${what}, Linux ${kernel}`);
}

/** PostgreSQL refuses root, and a folder of root's npm cannot be read by another user that it could run as. */
export function user(uid: number | undefined): MachineFinding {
  if (uid !== 0) return good('User', 'not root');
  const hint = 'Run it as an ordinary user: su - NAME, then the same command. A new one: useradd --create-home NAME';
  return missing('User', 'root, and PostgreSQL does not run as root', hint);
}
