// One Chromium with its sandbox on, in a folder of its own, and as root under a user of its own.

import { chmod, chown, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { openSessionFolder } from './folder.ts';
import { guardArgs, quietArgs } from './guard/launch.ts';
import { type Guard, type GuardOptions, openGuard } from './guard/proxy.ts';
import type { Users } from './users.ts';

const AGAIN_MS = 500;

export type Viewport = { width: number; height: number };

export type Chromium = {
  browser: Browser;
  /** A context and a blank page, where they were made ahead. Whoever opens a session takes them, or closes them. */
  ready: { context: BrowserContext; page: Page; viewport: Viewport } | undefined;
  /** Its folder, which it can read and not write. */
  folder: string;
  /** Where it puts what it downloads; it may write anything there. */
  downloads: string;
  uid: number | undefined;
  /** Its only way to the network. */
  guard: GuardOf | undefined;
  /** Of its first process, which leads the group of all others. */
  pid: number;
  /** Stops all its processes, at once. What is left to do is to close it. */
  kill(): void;
  /** Ends it at once, and removes all it wrote. */
  close(): Promise<void>;
};

export type LaunchSettings = {
  path: string;
  /** The host's folder. */
  parent: string;
  users: Users;
  /** False only where whoever runs the host accepts that any page may take over the machine. */
  hasSandbox: boolean;
  timeoutMs: number;
  /** Given to Chromium beside our own, for example by what guards its way to the network. */
  args?: string[];
  /** Without it the browser reaches whatever this machine does. */
  guard?: Pick<GuardOptions, 'limits'> & { allowLoopbackPorts: ReadonlySet<number> };
};

/** The guard of one browser. Nobody may have taken the browser yet when it refuses something. */
export type GuardOf = Pick<Guard, 'setLists' | 'refuse'> & { listen(listeners: Partial<GuardListeners>): void };
type GuardListeners = Pick<GuardOptions, 'onRefused' | 'onTried' | 'onSlowed'>;

export async function launchChromium(settings: LaunchSettings): Promise<Chromium> {
  const { path, parent, users, hasSandbox, timeoutMs, args = [] } = settings;
  const uid = users.take();
  const folder = await openSessionFolder(parent).catch(async (error) => {
    await users.giveBack(uid);
    throw error;
  });
  let listeners: GuardListeners = { onRefused: () => {} };
  let guard: Guard | undefined;
  // The files last: nothing that could write them is left by then.
  const tidy = () => Promise.all([users.giveBack(uid), guard?.close()]).finally(folder.close);
  try {
    guard =
      settings.guard &&
      (await openGuard({
        ...settings.guard,
        clientUid: uid,
        onRefused: (refusal) => listeners.onRefused(refusal),
        onTried: (host) => listeners.onTried?.(host),
        onSlowed: () => listeners.onSlowed?.(),
      }));
    const pidFile = join(folder.path, 'pid');
    const downloads = join(folder.path, 'home', 'downloads');
    const browser = await chromium.launch({
      executablePath: await writeLauncher({ path, folder: folder.path, pidFile, uid }),
      chromiumSandbox: hasSandbox,
      args: [...(guard ? guardArgs(guard.url) : quietArgs), ...args],
      artifactsDir: folder.path,
      downloadsPath: downloads,
      // Ours holds passwords.
      env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
      timeout: timeoutMs,
      // The life of the process is decided in one place, and that is not the browser library.
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
    });
    const pid = await readPid(pidFile).catch(async (error) => {
      await browser.close();
      throw error;
    });
    let closing: Promise<void> | undefined;
    const close = () => {
      closing ??= end(browser, pid).finally(tidy);
      return closing;
    };
    const guarding = guard && {
      ...guard,
      listen(next: Partial<GuardListeners>) {
        listeners = { ...listeners, ...next };
      },
    };
    const kill = () => killGroup(pid);
    return { browser, ready: undefined, folder: folder.path, downloads, uid, guard: guarding, pid, kill, close };
  } catch (error) {
    await tidy();
    throw error;
  }
}

/** Signals go to the group of this number: 0 would be our own, and 1 everybody's. */
async function readPid(file: string): Promise<number> {
  const pid = Number(await readFile(file, 'utf8'));
  if (!Number.isInteger(pid) || pid <= 1) throw new Error('the browser does not say which process it is');
  return pid;
}

/**
 * The browser library has no say over the user and puts the profile where a killed host would leave it for ever, so it
 * starts this script instead. It replaces itself by Chromium: the pipes that drive it (3 and 4) and the pid stay.
 */
async function writeLauncher({ path, folder, pidFile, uid }: LauncherOptions): Promise<string> {
  const home = join(folder, 'home');
  await mkdir(home, { mode: 0o700 });
  const downloads = join(home, 'downloads');
  await mkdir(downloads, { mode: 0o700 });
  if (uid !== undefined) {
    await chown(home, uid, uid);
    await chown(downloads, uid, uid);
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

/** By force: its state was saved or is lost, its files go, and asked politely it may run on for seconds. */
async function end(browser: Browser, pid: number): Promise<void> {
  killGroup(pid);
  const again = setInterval(() => killGroup(pid), AGAIN_MS);
  await browser.close().finally(() => clearInterval(again));
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Gone already, which is what was wanted.
  }
}
