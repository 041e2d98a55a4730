// The errors that the SDK throws.

import type { ErrorCode, Problem } from '@pilothouse/contract';

/** The server refused the call. Compare `code`, or use {@link isApiError}. */
export class ApiError<Code extends ErrorCode = ErrorCode> extends Error {
  readonly code: Code;
  readonly status: number;
  /** Identifies the call in the server's log. */
  readonly requestId: string;
  /** The invalid fields, if that was the reason. */
  readonly errors: NonNullable<Problem['errors']>;
  /** How long the server asks to wait before the next attempt. */
  readonly retryAfterSecs: number | undefined;

  constructor(problem: Problem & { code: Code }, retryAfterSecs?: number) {
    super(problem.detail);
    this.name = 'ApiError';
    this.code = problem.code;
    this.status = problem.status;
    this.requestId = problem.request_id;
    this.errors = problem.errors ?? [];
    this.retryAfterSecs = retryAfterSecs;
  }
}

/** The call did not reach the server, or its reply was lost: it is not known whether it took effect. */
export class ConnectionError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'ConnectionError';
  }
}

/** Whether the server refused the call with this code. */
export function isApiError<Code extends ErrorCode>(error: unknown, code: Code): error is ApiError<Code> {
  return error instanceof ApiError && error.code === code;
}

/** Whether the same call may succeed later: the server was not reached, or has too much to do. */
export function willPass(error: unknown): boolean {
  if (error instanceof ConnectionError) return true;
  return error instanceof ApiError && (error.status === 429 || error.status >= 500);
}
