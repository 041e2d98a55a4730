// When a silent host counts as gone. A host that lost the bus for a moment looks the same as one that died, so it is
// asked several times. Only "no responders" is silence: a host that answers late may be busy.

import { setTimeout as sleep } from 'node:timers/promises';
import type { HostResult } from './host-result.ts';

export type SilenceOptions = {
  /** Requests without a responder, one after another, before the host counts as gone. */
  attempts?: number;
  /** Time between two of them. */
  everyMs?: number;
};

/**
 * After this process itself came back to the bus, hosts come back too, some later than others: for this long, silence
 * says nothing of a host.
 */
export const reunionMs = 5000;

/** More than a second: a server of the bus that is restarted takes about that long to have its hosts back. */
const defaults = { attempts: 6, everyMs: 250 } satisfies Required<SilenceOptions>;

export const isSilent = (result: HostResult<unknown>): boolean =>
  result.type === 'unanswered' && result.reason === 'no_responders';

/** Counts silent requests for a caller that repeats them by its own timer. */
export function createSilence({ attempts = defaults.attempts, everyMs = defaults.everyMs }: SilenceOptions = {}) {
  let silentRequests = 0;
  return {
    everyMs,
    /** `silent` means: ask again after `everyMs`. */
    count(result: HostResult<unknown>): 'heard' | 'silent' | 'gone' {
      silentRequests = isSilent(result) ? silentRequests + 1 : 0;
      if (silentRequests === 0) return 'heard';
      return silentRequests < attempts ? 'silent' : 'gone';
    },
    reset(): void {
      silentRequests = 0;
    },
  };
}

/** Repeats a request until the host is heard or counts as gone; then the result is silent too. */
export async function askUntilHeard<Reply>(
  ask: () => Promise<HostResult<Reply>>,
  { wait = sleep, ...options }: SilenceOptions & { wait?: (ms: number) => Promise<unknown> } = {},
): Promise<HostResult<Reply>> {
  const silence = createSilence(options);
  for (;;) {
    const result = await ask();
    if (silence.count(result) !== 'silent') return result;
    await wait(silence.everyMs);
  }
}
