#!/usr/bin/env node
// The command `pilothouse`: reads the command line, runs one command, and ends with its exit code.

import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { commandHelp, generalHelp } from './arguments/help.ts';
import { commonFirst, parseCommand } from './arguments/parse.ts';
import type { Context } from './commands/context.ts';
import { handlers } from './commands/handlers.ts';
import { readConfig, settings } from './config.ts';
import { openCredentials } from './connection/credentials.ts';
import { codeOf, type ExitName } from './connection/exit-codes.ts';
import { failureOf } from './connection/failure.ts';
import { createAsk, Interrupted } from './output/ask.ts';
import { createTerminal, plain } from './output/terminal.ts';

const config = readConfig(process.env, homedir());
const { stdin, stdout, stderr } = process;
const terminal = createTerminal({ stdout, stderr, hasColor: config.hasColor });

/** A reader such as `head` that has enough closes the pipe: nothing more has to be said. */
stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

async function main(words: string[]): Promise<ExitName> {
  const [first] = commonFirst(words).rest;
  if (first === undefined || first === '--help' || first === '-h' || first === 'help') {
    terminal.print(generalHelp(settings));
    return first === undefined ? 'usage' : 'done';
  }
  if (first === '--version' || first === '-v') {
    const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
    terminal.print(version);
    return 'done';
  }
  const { name, command, args, values } = parseCommand(words);
  if (values.help) {
    terminal.print(commandHelp(command));
    return 'done';
  }
  const context: Context = {
    args,
    values,
    config,
    credentials: openCredentials(config.configDir),
    terminal,
    ask: createAsk({ stdin, stdout, stderr }),
    stdin,
    onInterrupt(listener) {
      process.on('SIGINT', listener);
      return () => void process.off('SIGINT', listener);
    },
  };
  return (await handlers[name]())(context);
}

function explain(error: unknown): ExitName {
  if (error instanceof Interrupted) return 'interrupted';
  const failure = failureOf(error);
  const words = failure?.message ?? (error instanceof Error ? (error.stack ?? error.message) : String(error));
  const [first = '', ...others] = words.split('\n');
  terminal.warn(`pilothouse: ${plain(first)}`);
  for (const line of others) terminal.warn(`  ${plain(line)}`);
  if (failure?.hint) terminal.warn(plain(failure.hint));
  return failure?.exit ?? 'failed';
}

const exit = await main(process.argv.slice(2)).catch(explain);
process.exitCode = codeOf(exit);
// Connections that are kept for a next call, and a terminal that is read from, would hold the process.
stdout.write('', () => process.exit());
