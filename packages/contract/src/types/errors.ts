import { z } from 'zod';

/** Every way a request can fail. One code, one status, one title; nothing else may answer with an error. */
export const errors = {
  validation_failed: { status: 400, title: 'The request is not valid.' },
  malformed_id: { status: 400, title: 'The identifier is malformed.' },
  token_missing: { status: 401, title: 'Log in first.' },
  token_invalid: { status: 401, title: 'The token is not valid.' },
  token_expired: { status: 401, title: 'The token has expired.' },
  invalid_credentials: { status: 401, title: 'Wrong name or password.' },
  not_found: { status: 404, title: 'Not found.' },
  user_exists: { status: 409, title: 'The user already exists.' },
  conflict: { status: 409, title: 'The command does not fit the present state.' },
  takeover_conflict: { status: 409, title: 'Somebody else has the wheel.' },
  gone: { status: 410, title: 'No longer available.' },
  payload_too_large: { status: 413, title: 'The request is too large.' },
  unsupported_media_type: { status: 415, title: 'The content type is not supported.' },
  rate_limited: { status: 429, title: 'Too many requests.' },
  quota_exceeded: { status: 429, title: 'The quota is used up.' },
  internal: { status: 500, title: 'Something went wrong on our side.' },
  overloaded: { status: 503, title: 'Too busy right now; try again shortly.' },
} as const satisfies Record<string, { status: number; title: string }>;

export type ErrorCode = keyof typeof errors;

export const ErrorCode = z.enum(Object.keys(errors) as [ErrorCode, ...ErrorCode[]]);

/** The body of every error: RFC 9457 problem details with our closed list of codes. */
export const Problem = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    success: z.literal(false),
    code: ErrorCode,
    request_id: z.string(),
    errors: z.array(z.object({ pointer: z.string(), message: z.string() })).optional(),
  })
  .meta({ id: 'Problem' });
export type Problem = z.infer<typeof Problem>;

type Details = {
  /** Safe to show to the caller. */
  detail?: string;
  errors?: Problem['errors'];
  /** When to try again; becomes `Retry-After`. */
  retryAfterSecs?: number;
  /** More to say in the head of the answer. */
  headers?: Record<string, string>;
  cause?: unknown;
};

/** What any part of the server or store throws to answer with one of the codes above. */
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
