// Reads what processes of a stack wrote: why one ended, and the invitation of the first administrator.

import { readdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';

type Line = { level?: string; msg?: string; open?: string; err?: { message?: string } };

/** A line that is not JSON is words of another program. */
function readLine(line: string): Line {
  try {
    return JSON.parse(line);
  } catch {
    return { level: 'error', msg: line };
  }
}

const linesOf = (log: string): Line[] =>
  readFileSync(log, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map(readLine);

/** The last errors, at most this many. */
export const lastWords = (log: string, most = 6): string[] =>
  linesOf(log)
    .filter(({ level = '' }) => ['error', 'fatal'].includes(level))
    .slice(-most)
    .flatMap(({ msg, err }) => [msg, err?.message].filter((words) => words !== undefined));

/** The path that makes the first administrator, if the server of this log found no user. */
export const firstInvitation = (log: string): string | undefined => linesOf(log).findLast(({ open }) => open)?.open;

/** A log is of one start; the one before is kept. */
export function setOldLogsAside(dir: string): void {
  for (const name of readdirSync(dir).filter((file) => file.endsWith('.log')))
    renameSync(join(dir, name), join(dir, `${name}.old`));
}
