// What one search for the browser of a session was asked, and what it knows so far.

import type { Store } from '@pilothouse/store';
import type { LaunchOptions } from './launch-options.ts';

export type EnsureOptions = {
  lost?: number;
  isPerson?: boolean;
  mayYield?: boolean;
  /** Nothing is under way in the page: the browser may leave a host that is about to end. */
  mayMove?: boolean;
  executionId?: string;
  signal: AbortSignal;
};

export type Row = NonNullable<Awaited<ReturnType<Store['browsers']['of']>>>;

export type Search = EnsureOptions & {
  session: LaunchOptions;
  /** The epoch under which the browser is gone, whatever the row says. */
  gone: number | undefined;
  /** From when the session waited for its turn. */
  since: Date | null;
  /** Boot ids of hosts that did not answer, and until when they are not asked. */
  shunned: Map<string, number>;
  /** The claim under which it gave up its browser at a host that is about to end, for a place that was free elsewhere. */
  move: string | undefined;
};
