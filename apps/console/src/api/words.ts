// What went wrong, in words for the person.

import { ApiError, ConnectionError } from '@pilothouse/sdk';

/** One sentence; the server's own words where it has them. */
export function describeError(error: unknown): string {
  if (error instanceof ConnectionError) return 'The server does not answer.';
  if (!(error instanceof ApiError)) return 'Something went wrong on this page.';
  if (error.code === 'rate_limited' && error.retryAfterSecs)
    return `Too many requests. Again in ${error.retryAfterSecs} s.`;
  if (error.code === 'not_found') return 'There is no such thing, or it is not yours to see.';
  return error.message;
}

/** The messages of fields, by the name of the field: `/password` is `password`. */
export function readFieldErrors(error: unknown): Record<string, string> {
  if (!(error instanceof ApiError)) return {};
  return Object.fromEntries(error.errors.map(({ pointer, message }) => [pointer.replace(/^\//, ''), message]));
}
