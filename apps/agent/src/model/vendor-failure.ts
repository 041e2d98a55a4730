// What an SDK threw, as a ModelFailure. Takes the status, the wait and a short code from it, and none of its text.

import { APICallError } from 'ai';
import { type FailureDetails, type FailureKind, ModelFailure } from './failure.ts';
import { AnswerStalled, AnswerTooLong } from './watched-fetch.ts';

type Where = Pick<FailureDetails, 'provider' | 'model' | 'ms'>;

const longestWaitMs = 3_600_000;
/** Vendors say it in words only, in some cases. */
const saysTooLong = /context.?(length|window)|maximum context|prompt is too long|too many tokens|token count.*exceeds/i;
/** A limit that waiting does not lift. */
const saysNoCredit = /insufficient_quota|credit balance|billing/i;

const sentences: Record<FailureKind, string> = {
  rate_limited: 'allows no more calls for now',
  unavailable: 'is not available',
  cut: 'ended the connection before its answer was complete',
  stalled: 'did not answer in time',
  too_long: 'cannot read a request of this length',
  unauthorized: 'did not accept the key',
  bad_request: 'did not accept the request',
  refused: 'refused to answer',
  aborted: 'was not needed any more',
};

export function failure(kind: FailureKind, details: FailureDetails, code?: string): ModelFailure {
  const { provider, model } = details;
  const text =
    kind === 'aborted' ? `The call of ${model} ${sentences.aborted}` : `${model} (${provider}) ${sentences[kind]}`;
  return new ModelFailure(kind, `${text}${code ? ` (${code})` : ''}.`, details);
}

/** `ended` is why we ended the call ourselves, where we did. */
export function failureOf(error: unknown, ended: unknown, where: Where): ModelFailure {
  if (ended instanceof AnswerStalled) return failure('stalled', where);
  if (ended instanceof AnswerTooLong) return failure('cut', where, 'the answer had no end');
  if (ended !== undefined) return failure('aborted', where);
  const called = apiError(error);
  if (called?.statusCode !== undefined && called.statusCode >= 300)
    return failureOfStatus(called, called.statusCode, where);
  const code = networkCode(error);
  if (code !== undefined) return failure(isUnreached(code) ? 'unavailable' : 'cut', where, code);
  // An answer that is not what the vendor's interface says.
  if (called) return failure('unavailable', where, 'the answer cannot be read');
  return failure('bad_request', where, error instanceof Error ? shortCode(error.name) : undefined);
}

function failureOfStatus(error: APICallError, status: number, where: Where): ModelFailure {
  const said = `${error.message} ${error.responseBody ?? ''}`;
  const kind = kindOf(status, said);
  const code = [String(status), vendorCode(error.responseBody)].filter(Boolean).join(' ');
  const isRetryable = kind === 'rate_limited' && saysNoCredit.test(said) ? false : undefined;
  return failure(kind, { ...where, isRetryable, retryAfterMs: retryAfterMs(error, Date.now()) }, code);
}

function kindOf(status: number, said: string): FailureKind {
  if (status === 429) return 'rate_limited';
  if (status === 401 || status === 402 || status === 403) return 'unauthorized';
  if (status === 413 || (status === 400 && saysTooLong.test(said))) return 'too_long';
  if (status >= 500 || status === 408 || status === 409) return 'unavailable';
  return 'bad_request';
}

function retryAfterMs({ responseHeaders = {}, responseBody }: APICallError, now: number): number | undefined {
  const ms = Number(responseHeaders['retry-after-ms'] || Number.NaN);
  const said = responseHeaders['retry-after'] ?? '';
  const secs = /^\d+(\.\d+)?$/.test(said) ? Number(said) * 1000 : Date.parse(said) - now;
  // Google says it in the body.
  const inBody = Number(/"retryDelay":\s*"(\d+(?:\.\d+)?)s"/.exec(responseBody ?? '')?.[1] ?? Number.NaN) * 1000;
  const wait = [ms, secs, inBody].find((one) => Number.isFinite(one));
  return wait === undefined ? undefined : Math.min(longestWaitMs, Math.max(0, Math.round(wait)));
}

/** Codes are words such as `context_length_exceeded`; anything else might be text of the request, or the key. */
const shortCode = (code: unknown) =>
  typeof code === 'string' && /^[A-Za-z][A-Za-z_]{2,49}$/.test(code) ? code : undefined;

function vendorCode(body: string | undefined): string | undefined {
  try {
    const { error } = JSON.parse(body ?? '') as { error?: { code?: unknown; type?: unknown; status?: unknown } };
    return shortCode(error?.code) ?? shortCode(error?.status) ?? shortCode(error?.type);
  } catch {
    return undefined;
  }
}

function apiError(error: unknown): APICallError | undefined {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth += 1)
    if (APICallError.isInstance(at)) return at;
  return undefined;
}

function networkCode(error: unknown): string | undefined {
  for (let at = error, depth = 0; at instanceof Error && depth < 8; at = at.cause, depth += 1) {
    const code = 'code' in at ? at.code : undefined;
    if (typeof code === 'string' && /^(E[A-Z]+|UND_ERR_[A-Z_]+)$/.test(code)) return code;
    if (at instanceof TypeError && at.message === 'terminated') return 'terminated';
  }
  return undefined;
}

const isUnreached = (code: string) =>
  ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT'].includes(code);
