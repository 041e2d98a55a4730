// Opens an address in the browser of the person. A machine without one is told the address.

import { spawn } from 'node:child_process';
import { plain } from '../output/terminal.ts';
import type { Context } from './context.ts';

const programs: Partial<Record<NodeJS.Platform, string>> = { darwin: 'open', linux: 'xdg-open' };

export async function openPage({ config, terminal }: Pick<Context, 'config' | 'terminal'>, url: string): Promise<void> {
  const program = config.browser ?? programs[process.platform];
  const { promise, resolve } = Promise.withResolvers<boolean>();
  if (program) {
    const child = spawn(program, [url], { stdio: 'ignore', detached: true });
    child.once('error', () => resolve(false)).once('spawn', () => resolve(true));
    child.unref();
  } else resolve(false);
  if (!(await promise)) terminal.warn(`No browser was found: open ${plain(url)} yourself.`);
}

export const sessionPage = (url: string, sessionId: string, taskId?: string): string =>
  `${url}/sessions/${sessionId}${taskId ? `?task=${taskId}` : ''}`;
