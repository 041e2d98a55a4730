// What a command is given: what was typed, where it prints, whom it can ask, and the server.

import type { Values } from '../arguments/parse.ts';
import type { Config } from '../connection/config.ts';
import { type Connection, connect } from '../connection/connect.ts';
import type { Credentials } from '../connection/credentials.ts';
import type { ExitName } from '../connection/exit-codes.ts';
import { CommandFailure } from '../connection/failure.ts';
import type { Ask } from '../output/ask.ts';
import { jsonLine, type Terminal } from '../output/terminal.ts';

export type Context = {
  args: string[];
  values: Values;
  config: Config;
  credentials: Credentials;
  terminal: Terminal;
  ask: Ask;
  stdin: NodeJS.ReadableStream;
  /** Called at each Ctrl-C, until the returned function is called. */
  onInterrupt(listener: () => void): () => void;
};
export type Run = (context: Context) => Promise<ExitName>;

export const connectionOf = ({ values, config, credentials }: Context): Connection =>
  connect(text(values, 'url'), config, credentials);

export const text = (values: Values, name: string): string | undefined => {
  const value = values[name];
  return typeof value === 'string' ? value : undefined;
};
export const texts = (values: Values, name: string): string[] | undefined => {
  const value = values[name];
  return Array.isArray(value) && value.length > 0 ? value : undefined;
};
export const flag = (values: Values, name: string): boolean => values[name] === true;

export function number(values: Values, name: string): number | undefined {
  const value = text(values, name);
  if (value === undefined) return undefined;
  const read = Number(value);
  if (value.trim() === '' || !Number.isFinite(read))
    throw new CommandFailure(`--${name} is a number`, { exit: 'usage' });
  return read;
}

/** JSON for programs, or lines for people. */
export function show({ values, terminal }: Context, value: unknown, lines: () => string[]): void {
  if (flag(values, 'json')) terminal.print(jsonLine(value));
  else for (const line of lines()) terminal.print(line);
}
