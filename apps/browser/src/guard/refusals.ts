import type { RefusalReason } from './policy.ts';

/** What a session was kept from. Never the whole address: what comes after the host may hold secrets. */
export type Refusal = {
  /** A plain request, a tunnel (https, ws, wss), or a page of a kind that may not be shown. */
  via: 'request' | 'tunnel' | 'page';
  /** For a page its scheme. */
  host: string;
  port: number | undefined;
  reason: RefusalReason;
  /** How often since it was last told. */
  count: number;
};

export type Refusals = { add(refusal: Omit<Refusal, 'count'>): void; close(): void };

const MAX_KEPT = 200;
const MAX_HOST = 253;

/** Tells the first of a kind at once, and those that follow together: a page may try a thousand times a second. */
export function createRefusals(tell: (refusal: Refusal) => void, everyMs: number): Refusals {
  const kept = new Map<string, Refusal>();
  let timer: NodeJS.Timeout | undefined;

  function flush(): void {
    timer = undefined;
    const due = [...kept.values()].filter(({ count }) => count > 0);
    kept.clear();
    for (const refusal of due) tell(refusal);
  }

  return {
    add({ via, host, port, reason }) {
      const key = `${via} ${host} ${port} ${reason}`;
      const known = kept.get(key);
      if (known) {
        known.count += 1;
        return;
      }
      // Beyond this the page makes up a new name for each try, and nobody reads them.
      if (kept.size >= MAX_KEPT) return;
      const refusal = { via, host: host.slice(0, MAX_HOST), port, reason };
      kept.set(key, { ...refusal, count: 0 });
      timer ??= setTimeout(flush, everyMs).unref();
      tell({ ...refusal, count: 1 });
    },
    close() {
      clearTimeout(timer);
      flush();
    },
  };
}
