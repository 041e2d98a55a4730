// What the guard refused, reported so that a page cannot flood viewers or the log with it.

import type { RefusalReason } from './rules/domains.ts';

/** What a session was refused. Never the whole address: what comes after the host may hold secrets. */
export type Refusal = {
  /** A plain request, a tunnel (https, ws, wss), or a page of a kind that may not be shown. */
  via: 'request' | 'tunnel' | 'page';
  /** For a page its scheme. */
  host: string;
  port: number | undefined;
  reason: RefusalReason;
  /** How often since the last report. */
  count: number;
};

export type Refusals = { add(refusal: Omit<Refusal, 'count'>): void; close(): void };

type Listeners = {
  /** The first ones at once, and then once how many more there were. */
  tell: (refusal: Refusal) => void;
  /** Each, at once. */
  note?: (host: string, reason: RefusalReason, port: number | undefined) => void;
};

/** Reported singly in one interval; at its end, one report says how many more there were. */
const maxTold = 20;
const maxHost = 253;

/**
 * Reports the first of a kind at once, and later ones only by their number: a page may try a thousand times a second, for
 * as long as it is open, and use a new name for each attempt.
 */
export function createRefusals({ tell, note }: Listeners, everyMs: number): Refusals {
  let told = new Set<string>();
  let more = 0;
  let timer: NodeJS.Timeout | undefined;

  function flush(): void {
    timer = undefined;
    const others = more;
    [told, more] = [new Set(), 0];
    if (others > 0)
      tell({ via: 'request', host: `${others} more`, port: undefined, reason: 'too_many', count: others });
  }

  return {
    add({ via, host, port, reason }) {
      note?.(host, reason, port);
      const key = `${via} ${host} ${port} ${reason}`;
      timer ??= setTimeout(flush, everyMs).unref();
      if (told.has(key) || told.size >= maxTold) more += 1;
      else {
        told.add(key);
        tell({ via, host: host.slice(0, maxHost), port, reason, count: 1 });
      }
    },
    close() {
      clearTimeout(timer);
      flush();
    },
  };
}
