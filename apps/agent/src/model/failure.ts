// A call of a model that failed, in words that are safe to store and to show: no key, no text of a page or a request.

import type { Usage } from './types.ts';

/**
 * `cut`: the connection ended before the answer did. `stalled`: no answer in time. `too_long`: the request is more than
 * the model can read. `refused`: the model or its vendor will not answer this.
 */
export type FailureKind =
  | 'rate_limited'
  | 'unavailable'
  | 'cut'
  | 'stalled'
  | 'too_long'
  | 'unauthorized'
  | 'bad_request'
  | 'refused'
  | 'aborted';

/** What the same request may do at a later time, or at another model, follows from the kind. */
const retryable: ReadonlySet<FailureKind> = new Set(['rate_limited', 'unavailable', 'cut', 'stalled']);

export type FailureDetails = {
  provider: string;
  model: string;
  ms: number;
  /** Overrules what follows from the kind. */
  isRetryable?: boolean;
  retryAfterMs?: number;
  usage?: Usage;
  costMicros?: number;
};

/** Has no cause: what an SDK throws holds the request, the answer, and sometimes parts of the key. */
export class ModelFailure extends Error {
  readonly kind: FailureKind;
  /** The same request may succeed later. */
  readonly isRetryable: boolean;
  /** How long the vendor asks to wait. */
  readonly retryAfterMs: number | undefined;
  /** Where the vendor counted tokens all the same. */
  readonly usage: Usage | undefined;
  readonly costMicros: number;
  readonly provider: string;
  readonly model: string;
  readonly ms: number;

  constructor(kind: FailureKind, sentence: string, details: FailureDetails) {
    super(sentence);
    this.name = 'ModelFailure';
    this.kind = kind;
    this.isRetryable = details.isRetryable ?? retryable.has(kind);
    this.retryAfterMs = details.retryAfterMs;
    this.usage = details.usage;
    this.costMicros = details.costMicros ?? 0;
    this.provider = details.provider;
    this.model = details.model;
    this.ms = details.ms;
  }
}
