// The error codes of the API. Loaded by browsers: imports nothing.

/** Every way a request can fail. One code, one status, one title; every error response has one of these codes. */
export const errors = {
  validation_failed: { status: 400, title: 'The request is not valid.' },
  malformed_id: { status: 400, title: 'The identifier is malformed.' },
  token_missing: { status: 401, title: 'Log in first.' },
  token_invalid: { status: 401, title: 'The token is not valid.' },
  token_expired: { status: 401, title: 'The token has expired.' },
  invalid_credentials: { status: 401, title: 'Wrong username or password.' },
  forbidden: { status: 403, title: 'This is not allowed to you.' },
  not_found: { status: 404, title: 'Not found.' },
  user_exists: { status: 409, title: 'The user already exists.' },
  conflict: { status: 409, title: 'This is not possible in the current state.' },
  takeover_conflict: { status: 409, title: 'Another person has taken over this browser.' },
  gone: { status: 410, title: 'No longer available.' },
  payload_too_large: { status: 413, title: 'The request is too large.' },
  unsupported_media_type: { status: 415, title: 'The content type is not supported.' },
  invalid_answer: { status: 422, title: 'This is not one of the allowed answers.' },
  rate_limited: { status: 429, title: 'Too many requests.' },
  quota_exceeded: { status: 429, title: 'The quota is used up.' },
  internal: { status: 500, title: 'Something went wrong on our side.' },
  overloaded: { status: 503, title: 'The server is busy. Try again shortly.' },
} as const satisfies Record<string, { status: number; title: string }>;

export type ErrorCode = keyof typeof errors;
