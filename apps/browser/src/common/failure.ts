// Why a step was not done, as the bus has words for it. The browser library tells it in prose.

import { type Failure, WaitError } from '@pilothouse/bus';
import { errors } from 'playwright-core';

export class StepFailure extends Error {
  override name = 'StepFailure';
  readonly failure: Failure;
  /** Whether something was done to the page before it failed. */
  readonly hasTouched: boolean;

  constructor(failure: Failure, message: string, options?: ErrorOptions & { hasTouched?: boolean }) {
    super(message, options);
    this.failure = failure;
    this.hasTouched = options?.hasTouched ?? false;
  }

  /** The same, as seen after what was touched. */
  after(hasTouched: boolean): StepFailure {
    return new StepFailure(this.failure, this.message, { cause: this.cause, hasTouched });
  }
}

/** Whoever asks has been replaced. */
export const stale = (options?: ErrorOptions & { hasTouched?: boolean }) =>
  new StepFailure('stale_epoch', 'somebody else drives now', options);

export const noLease = () => new StepFailure('no_lease', 'no agent has renewed the lease of this host');

const known: [RegExp, Failure, string][] = [
  [/intercepts pointer events/, 'covered', 'something else on the page covers the element'],
  [/strict mode violation/, 'ambiguous', 'several elements match'],
  [/did not find some options/, 'not_found', 'the list has no such option'],
  [/net::ERR_/, 'navigation_failed', 'the page could not be loaded'],
  [/interrupted by another navigation/, 'navigation_failed', 'another navigation came in between'],
  [/crashed|has been closed|Target closed|was detached/, 'crashed', 'the page or its browser is gone'],
];

/** The library's own words stay out: they quote the page and what was typed into it. */
export function failureOf(error: unknown): StepFailure {
  if (error instanceof StepFailure) return error;
  const text = error instanceof Error ? error.message : '';
  const match = known.find(([pattern]) => pattern.test(text));
  if (match) {
    const code = /net::ERR_[A-Z_]+/.exec(text)?.[0];
    return new StepFailure(match[1], code ? `${match[2]} (${code})` : match[2], { cause: error });
  }
  if (error instanceof WaitError || error instanceof errors.TimeoutError) {
    return new StepFailure('timeout', 'not done in the time given', { cause: error });
  }
  return new StepFailure('unsupported', 'the browser cannot do this here', { cause: error });
}
