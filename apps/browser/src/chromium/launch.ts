// One Chromium with its sandbox on, in a folder of its own, and as root under a user of its own.

import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { createMultiplexer, type Multiplexer } from '../cdp/multiplexer.ts';
import { type BrowserGuard, type Guard, type GuardListeners, type GuardOptions, openGuard } from '../guard/proxy.ts';
import { chromiumArgs } from './flags.ts';
import { openSessionFolder } from './folders.ts';
import { writeLauncher } from './launcher.ts';
import { type BrowserProcess, startProcess } from './process.ts';
import type { Users } from './unix-users.ts';

export type Viewport = { width: number; height: number };

export type Chromium = {
  browser: Browser;
  /** One more client of its pipe. What it may say and see is for the caller to decide. */
  openGuest: Multiplexer['openGuest'];
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
  onRefused?: (reason: string) => void;
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
        onTried: (host, reason, port) => {
          settings.onRefused?.(reason);
          listeners.onTried?.(host, reason, port);
        },
        onSlowed: () => listeners.onSlowed?.(),
      }));
    const home = join(folder.path, 'home');
    const downloads = join(home, 'downloads');
    const launcher = await writeLauncher({ path, folder: folder.path, uid, hidesProcesses });
    const profile = join(home, 'profile');
    const processes = await startProcess({
      launcher,
      args: chromiumArgs({ profile, guardUrl: guard?.url, hasSandbox, hasWebgl, more: args }),
    });
    const multiplexer = createMultiplexer(processes.pipe, processes.end);
    const browser = await connect(processes, multiplexer, { downloads, timeoutMs });
    let closing: Promise<void> | undefined;
    const close = () => {
      closing ??= end(browser, processes).finally(tidy);
      return closing;
    };
    const guarding = guard && {
      ...guard,
      listen(next: Partial<GuardListeners>) {
        listeners = { ...listeners, ...next };
      },
    };
    const { pid, kill } = processes;
    const { openGuest } = multiplexer;
    const files = { folder: folder.path, downloads };
    return { browser, openGuest, ready: undefined, ...files, uid, guard: guarding, pid, kill, close };
  } catch (error) {
    await tidy();
    throw error;
  }
}

/** The browser library on the pipe of these processes. They end where it cannot be connected in time. */
async function connect(
  processes: BrowserProcess,
  { host }: Pick<Multiplexer, 'host'>,
  { downloads, timeoutMs }: { downloads: string; timeoutMs: number },
): Promise<Browser> {
  try {
    return await chromium.connectOverCDP(host, {
      timeout: timeoutMs,
      // The library puts downloads where its artifacts are; it makes no others for us.
      artifactsDir: downloads,
      // Nothing is done to the default context: sessions have contexts of their own.
      noDefaults: true,
    });
  } catch (error) {
    await processes.end();
    throw new Error(`Chromium does not start.\n${processes.lastWords()}`, { cause: error });
  }
}

/** By force: its state was saved or is lost, its files go, and asked politely it may run on for seconds. */
async function end(browser: Browser, processes: BrowserProcess): Promise<void> {
  await processes.end();
  await browser.close();
}
