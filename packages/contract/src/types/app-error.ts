// The error that server and store throw to answer with one of the codes.

import { type ErrorCode, errors } from './error-codes.ts';
import type { Problem } from './errors.ts';

type Details = {
  /** Safe to show to the caller. */
  detail?: string;
  errors?: Problem['errors'];
  /** When to try again; becomes `Retry-After`. */
  retryAfterSecs?: number;
  /** More headers of the response. */
  headers?: Record<string, string>;
  cause?: unknown;
};

/** Thrown by any part of server or store to answer with one of the codes above. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly errors: Problem['errors'];
  readonly retryAfterSecs: number | undefined;
  readonly headers: Record<string, string>;

  constructor(code: ErrorCode, { detail, errors: fieldErrors, retryAfterSecs, headers = {}, cause }: Details = {}) {
    super(detail ?? errors[code].title, { cause });
    this.name = 'AppError';
    this.code = code;
    this.errors = fieldErrors;
    this.retryAfterSecs = retryAfterSecs;
    this.headers = headers;
  }
}
