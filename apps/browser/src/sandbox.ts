// Whether pages are really locked up here, tried before the first stranger's page comes.

import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { WaitError } from '@pilothouse/bus';
import { SettingsError } from '@pilothouse/process';
import { type Chromium, type LaunchSettings, launchChromium } from './chromium.ts';
import { startDeadline, within } from './deadline.ts';

const FILTER_MS = 3000;

const HOW = `Its sandbox needs user namespaces: allow them (sysctl kernel.unprivileged_userns_clone=1, on Ubuntu also
    kernel.apparmor_restrict_unprivileged_userns=0; in a container a seccomp profile that lets them be made).
    CHROMIUM_DANGEROUSLY_WITHOUT_SANDBOX=true runs without it: then any page may take over what this host can reach.`;

/** Launches one browser and looks at it. Throws a SettingsError that says what is wrong, and what to do. */
export async function checkSandbox(settings: LaunchSettings): Promise<void> {
  let chromium: Chromium;
  try {
    // Once more before the host gives up: a busy machine may fail the first.
    chromium = await launchChromium(settings).catch(() => launchChromium(settings));
  } catch (error) {
    throw new SettingsError([`CHROMIUM_PATH: ${reasonOf(error)}${settings.hasSandbox ? `\n    ${HOW}` : ''}`]);
  }
  try {
    const deadline = startDeadline(settings.timeoutMs, new AbortController().signal);
    const isFiltered = !settings.hasSandbox || (await within(deadline, hasFilter(chromium)));
    if (!isFiltered)
      throw new SettingsError([`CHROMIUM_PATH: Chromium starts, but its pages run without a sandbox.\n    ${HOW}`]);
  } catch (error) {
    if (error instanceof SettingsError) throw error;
    const when = error instanceof WaitError ? ' in time' : '';
    throw new SettingsError([`CHROMIUM_PATH: Chromium starts, but shows no page${when}.`]);
  } finally {
    await chromium.close();
  }
}

/** The kernel says of each process whether its system calls are filtered, which is the inner wall of the sandbox. */
async function hasFilter({ browser }: Chromium): Promise<boolean> {
  await browser.newPage();
  const cdp = await browser.newBrowserCDPSession();
  // A process that was just made puts its filter on a moment later.
  const end = performance.now() + FILTER_MS;
  for (;;) {
    const { processInfo } = await cdp.send('SystemInfo.getProcessInfo');
    const renderers = processInfo.filter(({ type }) => type === 'renderer');
    const states = await Promise.all(
      renderers.map(({ id }) => readFile(`/proc/${id}/status`, 'utf8').catch(() => 'gone')),
    );
    const isFiltered = states.length > 0 && states.every((state) => /^Seccomp:\s+2$/m.test(state));
    if (isFiltered || performance.now() > end) return isFiltered;
    await sleep(20);
  }
}

/** Chromium's own last words, where it had some. */
function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : '';
  if (/No usable sandbox/.test(text)) return 'Chromium finds no sandbox that it could use.';
  if (/Running as root without --no-sandbox/.test(text)) return 'Chromium runs as root, where it has no sandbox.';
  if (/(setpriv|env): .*No such file|setpriv: not found/.test(text))
    return 'there is no such program, or setpriv is missing.';
  const words = /FATAL:[^\]]*\]\s*(.{1,200})/.exec(text)?.[1];
  return `Chromium does not start${words ? ` (${words.trim()})` : ''}.`;
}
