// Why a step was not done, in the codes of the bus, and what the log may say of an error. Messages of Playwright and
// Chromium quote pages and what was typed into them: they must never leave this process.

import { join } from 'node:path';
import { type AskedAct, type Failure, type GateVerdict, WaitError } from '@pilothouse/bus';
import { errors } from 'playwright-core';
import type { Deadline } from './deadline.ts';
import { nameOf } from './error-name.ts';

type Judged = { verdict: GateVerdict; asked?: AskedAct };

export class StepFailure extends Error {
  override name = 'StepFailure';
  readonly failure: Failure;
  /** Whether something was done to the page before it failed. */
  readonly hasTouched: boolean;
  /** What the rules of the task said, where they are the reason. */
  readonly judged: Judged | undefined;

  constructor(failure: Failure, message: string, options?: ErrorOptions & { hasTouched?: boolean; judged?: Judged }) {
    super(message, options);
    this.failure = failure;
    this.hasTouched = options?.hasTouched ?? false;
    this.judged = options?.judged;
  }

  /** The same failure, with whether something was touched before it. */
  after(hasTouched: boolean): StepFailure {
    return new StepFailure(this.failure, this.message, { cause: this.cause, hasTouched, judged: this.judged });
  }
}

/** Another driver has taken over. */
export const stale = (options?: ErrorOptions & { hasTouched?: boolean }) =>
  new StepFailure('stale_epoch', 'another driver has taken over', options);

export const noLease = () => new StepFailure('no_lease', 'no agent has renewed the lease of this host');

const known: [RegExp, Failure, string][] = [
  [/intercepts pointer events/, 'covered', 'something else on the page covers the element'],
  [/strict mode violation/, 'ambiguous', 'several elements match'],
  [/did not find some options/, 'not_found', 'the list has no such option'],
  [/net::ERR_/, 'navigation_failed', 'the page could not be loaded'],
  [/interrupted by another navigation/, 'navigation_failed', 'another navigation came in between'],
  [/crashed|has been closed|Target closed|was detached/, 'crashed', 'the page or its browser is gone'],
];

/** `deadline`: of the step, whose notes say what it was waiting for. */
export function failureOf(error: unknown, deadline?: Pick<Deadline, 'trail'>): StepFailure {
  if (error instanceof StepFailure) return error;
  const text = error instanceof Error ? error.message : '';
  const match = known.find(([pattern]) => pattern.test(text));
  if (match) {
    const code = /net::ERR_[A-Z_]+/.exec(text)?.[0];
    return new StepFailure(match[1], code ? `${match[2]} (${code})` : match[2], { cause: error });
  }
  if (error instanceof WaitError || error instanceof errors.TimeoutError) {
    const waitedFor = deadline?.trail() ?? [];
    const trail = waitedFor.length > 0 ? `: ${waitedFor.join(', then ')}` : '';
    return new StepFailure('timeout', `not done in the time given${trail}`, { cause: error });
  }
  return new StepFailure('unsupported', 'the browser cannot do this here', { cause: error });
}

/**
 * What the log may say of an error: its kind, its code if it is one of ours, and where in our own code it came from.
 * Messages are dropped, and so are stack frames of other code: Playwright puts texts and addresses of pages into both.
 */
export function errorFields(error: unknown): { kind: string; reason?: string; stack?: string } {
  if (!(error instanceof Error)) return { kind: typeof error };
  const reason = error instanceof StepFailure ? error.failure : error instanceof WaitError ? error.reason : undefined;
  const frames = (error.stack ?? '').split('\n').filter(isOwnFrame);
  return {
    kind: nameOf(error),
    ...(reason && { reason }),
    ...(frames.length > 0 && { stack: frames.map((frame) => frame.trim()).join('\n') }),
  };
}

const sources = join(import.meta.dirname, '..', '..', '..', '..');

/** `    at name (file:///…/pages.ts:12:34)`, of a file of this repository. */
function isOwnFrame(line: string): boolean {
  const path = /^ {4}at (?:[\w.<>[\] ]+ )?\(?(?:file:\/\/)?(\/[\w./-]+):\d+:\d+\)?$/.exec(line)?.[1] ?? '';
  return path.startsWith(`${sources}/`) && !path.slice(sources.length).includes('/node_modules/');
}
