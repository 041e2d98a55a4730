// Whether browsers are really locked up here, tried before the first stranger's page comes.

import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { WaitError } from '@pilothouse/bus';
import { SettingsError } from '@pilothouse/process';
import { startDeadline, within } from '../common/deadline.ts';
import { parseStat, parseStatus } from '../limits/process-table.ts';
import { type Chromium, type LaunchSettings, launchChromium } from './launch.ts';
import { seccompFilter } from './seccomp.ts';

const filterMs = 3000;

const howToAllow = `Its sandbox needs user namespaces: allow them (sysctl kernel.unprivileged_userns_clone=1, on Ubuntu also
    kernel.apparmor_restrict_unprivileged_userns=0; in a container a seccomp profile that lets them be made).
    CHROMIUM_DANGEROUSLY_WITHOUT_SANDBOX=true runs without it: then any page may take over what this host can reach.`;

/** Launches one browser and looks at it. Throws a SettingsError that says what is wrong, and what to do. */
export async function checkSandbox(settings: LaunchSettings): Promise<void> {
  if (settings.hasSandbox && !seccompFilter())
    throw new SettingsError([
      `CHROMIUM_PATH: no filter of system calls is known for ${process.arch}.\n    ${howToAllow}`,
    ]);
  let chromium: Chromium;
  try {
    // Once more before the host gives up: a busy machine may fail the first.
    chromium = await launchChromium(settings).catch(() => launchChromium(settings));
  } catch (error) {
    throw new SettingsError([`CHROMIUM_PATH: ${reasonOf(error)}${settings.hasSandbox ? `\n    ${howToAllow}` : ''}`]);
  }
  try {
    const deadline = startDeadline(settings.timeoutMs, new AbortController().signal);
    await within(deadline, chromium.browser.newPage());
    const wrong = settings.hasSandbox ? await within(deadline, findWrong(chromium, settings)) : undefined;
    if (wrong) throw new SettingsError([`CHROMIUM_PATH: Chromium starts, but ${wrong}.\n    ${howToAllow}`]);
  } catch (error) {
    if (error instanceof SettingsError) throw error;
    const when = error instanceof WaitError ? ' in time' : '';
    throw new SettingsError([`CHROMIUM_PATH: Chromium starts, but shows no page${when}.`]);
  } finally {
    await chromium.close();
  }
}

/** What is not as it should be with the processes of a browser that shows a page; nothing when all of them are held. */
async function findWrong(chromium: Chromium, settings: LaunchSettings): Promise<string | undefined> {
  const ours = filtersOf(await readFile('/proc/self/status', 'utf8'));
  if (ours === undefined)
    return 'this kernel does not tell how its processes are filtered, which Linux 5.9 and newer do';
  // A process that was just made puts its filter on a moment later.
  const end = performance.now() + filterMs;
  for (;;) {
    const found = await browserProcesses(chromium, settings);
    const wrong = judge(found, { ours, hasWebgl: settings.hasWebgl ?? false });
    if (!wrong || performance.now() > end) return wrong;
    await sleep(20);
  }
}

type BrowserProcess = { kind: string; isOpen: boolean; filters: number };

/**
 * Every process has our filter. Those that touch what pages send have one of Chromium's own above it: all but the first
 * process, its zygotes, and services that Chromium runs without a sandbox by design.
 */
function judge(found: BrowserProcess[], { ours, hasWebgl }: { ours: number; hasWebgl: boolean }): string | undefined {
  const open = found.find(({ filters }) => filters <= ours);
  if (open) return `its process "${open.kind}" runs without a filter of system calls`;
  const unlocked = (kind: string) =>
    found.find((one) => one.kind === kind && !one.isOpen && one.filters <= ours + 1) !== undefined;
  if (!found.some(({ kind }) => kind === 'renderer') || unlocked('renderer')) return 'its pages run without a sandbox';
  const wrong = ['utility', ...(hasWebgl ? [] : ['gpu-process'])].find(unlocked);
  return wrong && `its process "${wrong}" runs without its sandbox`;
}

/** As the kernel tells it: Chromium may count its processes differently. */
async function browserProcesses({ pid, uid }: Chromium, { hidesProcesses }: LaunchSettings): Promise<BrowserProcess[]> {
  const pids = (await readdir('/proc')).map(Number).filter(Number.isSafeInteger);
  const found = await Promise.all(
    pids.map(async (one) => {
      const read = (file: string) => readFile(`/proc/${one}/${file}`, 'utf8').catch(() => '');
      const [stat, status, line] = await Promise.all(['stat', 'status', 'cmdline'].map(read));
      if (!stat || !status || !line || parseStatus(status).isDead) return [];
      const isOfBrowser = uid === undefined ? parseStat(stat).group === pid : parseStatus(status).uid === uid;
      // What waits for the first process that sees only its own is a program of the system.
      if (!isOfBrowser || (hidesProcesses && one === pid)) return [];
      const kind = /--type=([\w-]+)/.exec(line)?.[1] ?? 'browser';
      return [{ kind, isOpen: line.includes('--service-sandbox-type=none'), filters: filtersOf(status) ?? 0 }];
    }),
  );
  return found.flat();
}

/** How many filters of system calls a process has, one above the other. */
function filtersOf(status: string): number | undefined {
  const count = /^Seccomp_filters:\s+(\d+)$/m.exec(status)?.[1];
  if (count === undefined) return undefined;
  return /^Seccomp:\s+2$/m.test(status) ? Number(count) : 0;
}

/** Chromium's own last words, where it had some. */
function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : '';
  if (/No usable sandbox/.test(text)) return 'Chromium finds no sandbox that it could use.';
  if (/Running as root without --no-sandbox/.test(text)) return 'Chromium runs as root, where it has no sandbox.';
  if (/failed to execute perl/.test(text))
    return 'perl is missing, which puts the filter of system calls on each browser.';
  if (/^seccomp: /m.test(text)) return 'this system lets nobody filter system calls (seccomp).';
  if (/(setpriv|env): .*No such file|setpriv: not found|cannot start/.test(text))
    return 'there is no such program, or setpriv is missing.';
  const words = /FATAL:[^\]]*\]\s*(.{1,200})/.exec(text)?.[1];
  return `Chromium does not start${words ? ` (${words.trim()})` : ''}.`;
}
