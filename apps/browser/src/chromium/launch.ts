// One Chromium with its sandbox on, in a folder of its own, and as root under a user of its own.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { type BrowserGuard, type Guard, type GuardListeners, type GuardOptions, openGuard } from '../guard/proxy.ts';
import { drawingArgs, guardArgs, quietArgs } from './flags.ts';
import { openSessionFolder } from './folders.ts';
import { writeLauncher } from './launcher.ts';
import type { Users } from './unix-users.ts';

const againMs = 500;

export type Viewport = { width: number; height: number };

export type Chromium = {
  browser: Browser;
  /** A context and a blank page, where they were made ahead. The session takes them, or closes them. */
  ready: { context: BrowserContext; page: Page; viewport: Viewport } | undefined;
  /** Its folder, which it can read and not write. */
  folder: string;
  /** Where it puts what it downloads; it may write anything there. */
  downloads: string;
  uid: number | undefined;
  /** Its only way to the network. */
  guard: BrowserGuard | undefined;
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
  /** False only where the operator accepts that any page may take over the machine. */
  hasSandbox: boolean;
  /** Whether pages may draw with WebGL, in a process that Chromium then leaves without a sandbox of its own. */
  hasWebgl?: boolean;
  /** Whether it sees no processes but its own: for a host that cannot give it a user of its own. */
  hidesProcesses?: boolean;
  timeoutMs: number;
  /** Given to Chromium beside our own, for example by what guards its way to the network. */
  args?: string[];
  /** Without it the browser reaches whatever this machine does. */
  guard?: Pick<GuardOptions, 'limits'> & { allowLoopbackPorts: ReadonlySet<number> };
  /** The guard refused a request of the browser. */
  onRefused?: () => void;
};

export async function launchChromium(settings: LaunchSettings): Promise<Chromium> {
  const { path, parent, users, hasSandbox, hasWebgl = false, hidesProcesses = false, timeoutMs, args = [] } = settings;
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
        onTried: (host) => {
          settings.onRefused?.();
          listeners.onTried?.(host);
        },
        onSlowed: () => listeners.onSlowed?.(),
      }));
    const pidFile = join(folder.path, 'pid');
    const downloads = join(folder.path, 'home', 'downloads');
    const browser = await chromium.launch({
      executablePath: await writeLauncher({ path, folder: folder.path, pidFile, uid, hidesProcesses }),
      chromiumSandbox: hasSandbox,
      args: [...(guard ? guardArgs(guard.url) : quietArgs), ...drawingArgs({ hasWebgl }), ...args],
      // The library would have pages draw with WebGL in software.
      ignoreDefaultArgs: hasWebgl ? [] : ['--enable-unsafe-swiftshader'],
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

/** Signals go to the group of this number: 0 would be our own, and 1 every process. */
async function readPid(file: string): Promise<number> {
  const pid = Number(await readFile(file, 'utf8'));
  if (!Number.isInteger(pid) || pid <= 1) throw new Error('the browser does not say which process it is');
  return pid;
}

/** By force: its state was saved or is lost, its files go, and asked politely it may run on for seconds. */
async function end(browser: Browser, pid: number): Promise<void> {
  killGroup(pid);
  const again = setInterval(() => killGroup(pid), againMs);
  await browser.close().finally(() => clearInterval(again));
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Gone already, which is what was wanted.
  }
}
