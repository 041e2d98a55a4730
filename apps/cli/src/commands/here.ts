// demo and up: a whole installation on this machine, until Ctrl-C. The package that has it is loaded only here.

import { join } from 'node:path';
import { CommandFailure } from '../connection/failure.ts';
import { jsonLine, plain } from '../output/terminal.ts';
import { type Context, flag, number, type Run, text } from './context.ts';
import { openPage } from './open-page.ts';

type Stack = typeof import('@pilothouse/stack');
type Local = Awaited<ReturnType<Stack['startLocal']>>;

export const demo: Run = (context) => runHere(context, { isDemo: true });
export const up: Run = (context) => runHere(context, { isDemo: false });

const lookEveryMs = 1000;

async function runHere(context: Context, { isDemo }: { isDemo: boolean }): Promise<'done'> {
  const { values, config, terminal } = context;
  const stack = await loadStack();
  await haveEverything(stack, context);
  const dir = text(values, 'data') ?? join(config.dataDir, isDemo ? 'demo' : 'up');
  const port = number(values, 'port');
  if (port !== undefined && !(Number.isInteger(port) && port > 0 && port < 65_536))
    throw new CommandFailure('--port is a number from 1 to 65535', { exit: 'usage' });
  const ending = endOfCommand();
  terminal.warn(`Starting PostgreSQL, NATS, server, agent and browser host${isDemo ? ', and a shop to visit' : ''} …`);
  try {
    const local = await stack.startLocal({ dir, isDemo, ...(port !== undefined && { port }) });
    try {
      if (!ending.signal.aborted) await present(context, local, { dir, isDemo });
      await keepRunning(local, context, ending.signal);
    } finally {
      terminal.warn('Stopping …');
      await local.close();
    }
  } catch (error) {
    // What was ended while it started has failed to start.
    if (!ending.signal.aborted) throw error instanceof stack.LocalFailure ? new CommandFailure(error.message) : error;
  } finally {
    ending.close();
  }
  return 'done';
}

/** Not a dependency that is always there: npm leaves it out where it cannot run. */
export async function loadStack(): Promise<Stack> {
  try {
    return await import('@pilothouse/stack');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new CommandFailure('the package @pilothouse/stack is not installed, which has the server and its parts', {
      hint: whyNoStack(process.platform, process.versions.node),
    });
  }
}

export function whyNoStack(platform: string, node: string): string {
  if (platform !== 'linux')
    return `It runs on Linux only, and this is ${platform}. On a Linux machine, also a virtual one, use this command, or Docker Compose (docs/operate/compose.md of the project); then \`pilothouse login\` from here.`;
  if (Number(node.split('.')[0]) < 24) return `It needs Node 24 or newer, and this is ${node}. Install that first.`;
  return 'npm leaves it out with --omit=optional. Install it beside this command: npm install @pilothouse/stack';
}

async function haveEverything(stack: Stack, { ask, terminal }: Context): Promise<void> {
  const missing = () => stack.inspectMachine().filter(({ isMissing }) => isMissing);
  if (ask.canAsk && missing().every(({ name }) => name === 'Chromium') && missing().length > 0) {
    const answer = await ask.line('There is no Chromium here. Fetch one with Playwright (about 100 MB)? [y/N] ');
    if (/^y(es)?$/i.test(answer) && !(await stack.fetchChromium())) terminal.warn('It was not fetched.');
  }
  const left = missing();
  if (left.length === 0) return;
  const lines = left.flatMap(({ name, what, hint }) => [`${name}: ${what}`, ...(hint ? [`  ${hint}`] : [])]);
  throw new CommandFailure(['this machine lacks what is needed:', ...lines].join('\n'));
}

async function present(
  context: Context,
  { url, openUrl, shopUrl }: Local,
  { dir, isDemo }: { dir: string; isDemo: boolean },
): Promise<void> {
  const { values, terminal } = context;
  if (flag(values, 'json')) terminal.print(jsonLine({ url, open_url: openUrl, shop_url: shopUrl, data: dir }));
  else for (const line of isDemo ? demoLines(url, shopUrl) : upLines(url, openUrl, dir)) terminal.print(line);
  if (!flag(values, 'no-open') && terminal.isTerminal) await openPage(context, openUrl);
}

function demoLines(url: string, shopUrl = ''): string[] {
  return [
    '',
    `Open        ${url}/`,
    `API         ${url}/docs/`,
    `The shop    ${shopUrl}/`,
    '',
    'Choose one of the tasks on the page, or paste this script into it, and press Run:',
    '',
    `  open ${shopUrl}/`,
    '  type "lantern" into "Search"',
    '  click "Find"',
    '  click "Add Brass lantern to basket"',
    '',
    'There are no logins, and only this machine can connect. Ctrl-C stops everything and removes its data.',
  ];
}

function upLines(url: string, openUrl: string, dir: string): string[] {
  const isNew = openUrl !== `${url}/`;
  return [
    '',
    `Open        ${openUrl}`,
    ...(isNew ? ['            This link makes you the administrator. It counts once, and for a day.'] : []),
    `API         ${url}/docs/`,
    `Data        ${dir}`,
    '',
    `From another terminal: pilothouse login ${url}`,
    'Only this machine can connect. Ctrl-C stops everything and keeps its data.',
  ];
}

/** Starts again what ends by itself, until the command ends. A part that cannot be started ends the command. */
async function keepRunning(local: Local, { terminal }: Context, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await waited(lookEveryMs, signal);
    if (signal.aborted) return;
    for (const part of await local.restartEnded()) terminal.warn(`${plain(part)} had ended, and was started again.`);
  }
}

function waited(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  signal.addEventListener('abort', () => resolve(), { once: true });
  return promise.finally(() => clearTimeout(timer));
}

const endings = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Aborted by a signal, and when the shell of npm that started us is gone: a signal to npm ends npm, and does not come here. */
function endOfCommand(): { signal: AbortSignal; close(): void } {
  const ending = new AbortController();
  const end = () => ending.abort();
  for (const name of endings) process.on(name, end);
  const parent = process.ppid;
  const timer = setInterval(() => process.ppid !== parent && end(), 500).unref();
  return {
    signal: ending.signal,
    close() {
      clearInterval(timer);
      for (const name of endings) process.off(name, end);
    },
  };
}
