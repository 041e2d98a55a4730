// logs TASK [-f]

import type { LogEntry } from '@pilothouse/contract';
import { type Client, followRun } from '@pilothouse/sdk';
import { jsonLine, plain, type Terminal } from '../output/terminal.ts';
import { clockTime } from '../output/words.ts';
import { type Context, connectionOf, flag, type Run, text } from './context.ts';
import { findTask } from './find.ts';

const levels = ['debug', 'info', 'warn', 'error'] as const;

export const logs: Run = async (context) => {
  const { client } = connectionOf(context);
  const id = await findTask(client, context.args[0]);
  const level = (text(context.values, 'level') ?? 'debug') as LogEntry['level'];
  const isShown = (entry: LogEntry) => levels.indexOf(entry.level) >= levels.indexOf(level);
  if (!flag(context.values, 'follow')) {
    for await (const entry of pages(client, id, level)) printEntry(context, entry);
    return 'done';
  }
  // The stream begins with the first line, so that nothing is missing between two reads.
  for await (const update of followRun(client, id))
    if (update.type === 'log' && isShown(update.log)) printEntry(context, update.log);
  return 'done';
};

async function* pages(client: Client, id: string, level: LogEntry['level']): AsyncGenerator<LogEntry> {
  let cursor: string | undefined;
  do {
    const { logs: list, next_cursor } = await client.listLogs({ id, level, cursor, limit: 100 });
    yield* list;
    cursor = next_cursor ?? undefined;
  } while (cursor);
}

function printEntry({ terminal, values }: Context, entry: LogEntry): void {
  terminal.print(flag(values, 'json') ? jsonLine(entry) : entryLine(terminal, entry));
}

const styles = { debug: 'dim', info: 'cyan', warn: 'yellow', error: 'red' } as const;
const entryLine = ({ paint }: Terminal, { timestamp, level, message }: LogEntry): string =>
  `${paint('dim', clockTime(timestamp))} ${paint(styles[level], level.padEnd(5))} ${plain(message)}`;
