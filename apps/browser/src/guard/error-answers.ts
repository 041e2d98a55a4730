// What the browser is told where the guard has no answer of a site: refused, late or unreachable.

import { WaitError } from '@pilothouse/bus';
import { RefusedError } from './dial.ts';
import type { Refusals } from './refusals.ts';
import type { RefusalReason, Target } from './rules/domains.ts';

export type ErrorAnswer = { status: number; text: string };
/** Also reports the refusal, where it is one. */
export type AnswerFor = (error: unknown, via: 'request' | 'tunnel', target: Target | undefined) => ErrorAnswer;

const late: ErrorAnswer = { status: 504, text: 'The site did not answer in time' };
const unreachable: ErrorAnswer = { status: 502, text: 'The site cannot be reached' };
const refused = (reason: RefusalReason): ErrorAnswer => ({ status: 403, text: `Refused by the guard: ${reason}` });

export function createAnswerFor(refusals: Refusals): AnswerFor {
  return (error, via, target) => {
    if (!(error instanceof RefusedError)) return error instanceof WaitError ? late : unreachable;
    refusals.add({ via, host: target?.host ?? '', port: target?.port, reason: error.reason });
    return refused(error.reason);
  };
}

export const headersOf = ({ text }: ErrorAnswer) => ({
  'content-type': 'text/plain; charset=utf-8',
  'content-length': Buffer.byteLength(text),
  'cache-control': 'no-store',
});
