// One Chromium with its sandbox on, in a folder of its own, and as root under a user of its own.

import { chmod, chown, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { openSessionFolder } from './folder.ts';

const CLOSE_MS = 3000;

/** Without these Chromium looks for hosts of its maker at every start. */
const quiet = [
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-quic',
  '--disable-domain-reliability',
  '--no-pings',
];

export type Chromium = {
  browser: Browser;
  /** Ends it, by force if it does not go by itself, and removes all it wrote. */
  close(): Promise<void>;
};

type Options = {
  path: string;
  /** The host's folder. */
  parent: string;
  /** The user to run it as; undefined where we are not root and cannot choose. */
  uid: number | undefined;
  timeoutMs: number;
};

export async function launchChromium({ path, parent, uid, timeoutMs }: Options): Promise<Chromium> {
  const folder = await openSessionFolder(parent);
  try {
    const pidFile = join(folder.path, 'pid');
    const browser = await chromium.launch({
      executablePath: await writeLauncher({ path, folder: folder.path, pidFile, uid }),
      chromiumSandbox: true,
      args: quiet,
      artifactsDir: folder.path,
      // Ours holds passwords.
      env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
      timeout: timeoutMs,
      // The life of the process is decided in one place, and that is not the browser library.
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
    });
    const pid = Number(await readFile(pidFile, 'utf8'));
    return { browser, close: () => end(browser, pid).finally(folder.close) };
  } catch (error) {
    await folder.close();
    throw error;
  }
}

/**
 * The browser library has no say over the user and puts the profile where a killed host would leave it for ever, so it
 * starts this script instead. It replaces itself by Chromium: the pipes that drive it (3 and 4) and the pid stay.
 */
async function writeLauncher({ path, folder, pidFile, uid }: LauncherOptions): Promise<string> {
  const home = join(folder, 'home');
  await mkdir(home, { mode: 0o700 });
  if (uid !== undefined) {
    await chown(home, uid, uid);
    // Passable for that user, and nothing in it but its home is theirs.
    await chmod(folder, 0o711);
  }
  const user = `--reuid=${uid} --regid=${uid} --clear-groups --no-new-privs --bounding-set=-all --inh-caps=-all --reset-env`;
  // Chromium ends by itself when we are gone and the pipe closes; the signal is for one that hangs.
  const limits = uid === undefined ? '--pdeathsig=KILL' : `--pdeathsig=KILL ${user}`;
  const launcher = join(folder, 'launch');
  await writeFile(
    launcher,
    `#!/bin/sh
for arg; do
  shift
  case "$arg" in
    --user-data-dir=*) rmdir "\${arg#*=}"; set -- "$@" "--user-data-dir=${home}/profile" ;;
    *) set -- "$@" "$arg" ;;
  esac
done
echo $$ >'${pidFile}'
exec setpriv ${limits} env HOME='${home}' TMPDIR='${home}' '${path}' "$@"
`,
    { mode: 0o755 },
  );
  return launcher;
}

type LauncherOptions = { path: string; folder: string; pidFile: string; uid: number | undefined };

async function end(browser: Browser, pid: number): Promise<void> {
  const late = setTimeout(() => killGroup(pid), CLOSE_MS);
  await browser.close().finally(() => clearTimeout(late));
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Gone already, which is what was wanted.
  }
}
