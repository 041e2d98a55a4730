// What went wrong, in words for the person.

import { ApiError, ConnectionError } from '@pilothouse/sdk';

/** One sentence; the server's own words where it has them. */
export function describeError(error: unknown): string {
  if (error instanceof ConnectionError) return 'The server does not answer.';
  if (!(error instanceof ApiError)) return 'Something went wrong on this page.';
  if (error.code === 'rate_limited' && error.retryAfterSecs)
    return `Too many attempts. Again in ${error.retryAfterSecs} s.`;
  if (error.code === 'not_found') return 'There is no such thing, or it is not yours to see.';
  return error.message;
}

/** What is wrong with each field, by its name: `/body/password` is `password`. */
export function readFieldErrors(error: unknown): Record<string, string> {
  if (!(error instanceof ApiError)) return {};
  const named = error.errors.map(({ pointer, message }) => [pointer.split('/').at(-1) ?? '', message] as const);
  return Object.fromEntries(named.map(([name, message]) => [name, toSentence(message)]));
}

/** Messages of fields go on from the name of the field: `must have at least 8 characters`. */
export const toSentence = (message: string) =>
  `${message.charAt(0).toUpperCase()}${message.slice(1).replace(/\.$/, '')}.`;

export type ScriptFault = { line: number; column: number; message: string };

/** What the server could not read of a script, line by line. */
export function readScriptFaults(error: unknown): ScriptFault[] {
  if (!(error instanceof ApiError)) return [];
  return error.errors.flatMap(({ message }) => {
    const [, line, column, words] = /^line (\d+), column (\d+): ([\s\S]*)$/.exec(message) ?? [];
    return words === undefined ? [] : [{ line: Number(line), column: Number(column), message: words }];
  });
}
