// Failures in words for a person, each with an exit code.

import { ApiError, ConnectionError } from '@pilothouse/sdk';
import type { ExitName } from './exit-codes.ts';

/** Ends the command with these words. */
export class CommandFailure extends Error {
  readonly exit: ExitName;
  /** What to do about it. */
  readonly hint: string | undefined;
  constructor(message: string, { exit = 'failed', hint }: { exit?: ExitName; hint?: string } = {}) {
    super(message);
    this.exit = exit;
    this.hint = hint;
  }
}

const loginHint = 'Log in with `pilothouse login`, or set PILOTHOUSE_API_KEY.';

/** Undefined for a fault of the command itself, which is shown as it is. */
export function failureOf(error: unknown): CommandFailure | undefined {
  if (error instanceof CommandFailure) return error;
  if (error instanceof ConnectionError) {
    const hint = 'Is the server running? `pilothouse doctor` looks at more.';
    return new CommandFailure(error.message, { exit: 'unreachable', hint });
  }
  if (!(error instanceof ApiError)) return undefined;
  const fields = error.errors.map(({ pointer, message }) => `${pointer.replace(/^\//, '')} ${message}`);
  const message = [error.message, ...fields].join('\n  ');
  if (error.status === 401) return new CommandFailure(message, { exit: 'login', hint: loginHint });
  if (error.status === 403) return new CommandFailure(message, { exit: 'login' });
  const wait = error.retryAfterSecs === undefined ? undefined : `Try again in ${error.retryAfterSecs} s.`;
  return new CommandFailure(message, { hint: wait });
}
