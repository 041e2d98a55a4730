// Why a call was refused, in words that a model can act on. Shows only what HTTP would show.

import type { AppError, ErrorCode } from '@pilothouse/contract';
import type { ToolAnswer } from './page-words.ts';

/** What a model can do about it, where the words of the refusal do not say it. */
const advice: Partial<Record<ErrorCode, string>> = {
  not_found: 'You have no session or task of this id. list_sessions shows your sessions.',
  takeover_conflict: 'Try again after the person has handed the session back, or ask_person.',
  rate_limited: 'Wait, and then call less often.',
  quota_exceeded: 'Close sessions or wait for tasks to end before you begin more.',
  overloaded: 'Try the same call again shortly, with the same idempotency_key if it had one.',
};

export function refusalOf({ code, message, errors, retryAfterSecs }: AppError, requestId: string): ToolAnswer {
  return {
    isError: true,
    facts: {
      refused: code,
      why: message,
      ...(errors && { fields: errors.map((one) => `${one.pointer}: ${one.message}`) }),
      ...(advice[code] && { advice: advice[code] }),
      ...(retryAfterSecs !== undefined && { retry_after_secs: retryAfterSecs }),
      ...(code === 'internal' && { request_id: requestId }),
    },
  };
}
