import type { ErrorCode, Problem } from '@pilothouse/contract';

/** The server refused the call and said why. Compare `code`, or use {@link isApiError}. */
export class ApiError<Code extends ErrorCode = ErrorCode> extends Error {
  readonly code: Code;
  readonly status: number;
  /** Names the call in the server's log. */
  readonly requestId: string;
  /** Which fields were wrong, where that was the reason. */
  readonly errors: NonNullable<Problem['errors']>;
  /** How long the server asks to wait before the next try. */
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

/** The call did not reach a Pilothouse, or its answer did not reach us: whether it took effect is not known. */
export class ConnectionError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'ConnectionError';
  }
}

/** Whether the error is the server's refusal with this code. */
export function isApiError<Code extends ErrorCode>(error: unknown, code: Code): error is ApiError<Code> {
  return error instanceof ApiError && error.code === code;
}
