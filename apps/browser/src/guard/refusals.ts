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

type Listeners = {
  /** Some at once and some together, and never more than can be read. */
  tell: (refusal: Refusal) => void;
  /** Each, at once. */
  note?: (host: string) => void;
};

/** Told in one stretch of time; how many more there were is told at its end. */
const MAX_TOLD = 10;
const MAX_HOST = 253;

/** Tells the first of a kind at once, and those that follow together: a page may try a thousand times a second. */
export function createRefusals({ tell, note }: Listeners, everyMs: number): Refusals {
  let kept = new Map<string, Refusal>();
  /** Of kinds beyond those that are told: the page makes up a new name for each try. */
  let more = 0;
  let timer: NodeJS.Timeout | undefined;

  function flush(): void {
    timer = undefined;
    const due = [...kept.values()].filter(({ count }) => count > 0);
    const others = more;
    [kept, more] = [new Map(), 0];
    for (const refusal of due) tell(refusal);
    if (others > 0)
      tell({ via: 'request', host: `${others} more`, port: undefined, reason: 'too_many', count: others });
  }

  return {
    add({ via, host, port, reason }) {
      note?.(host);
      const key = `${via} ${host} ${port} ${reason}`;
      const known = kept.get(key);
      timer ??= setTimeout(flush, everyMs).unref();
      if (known) known.count += 1;
      else if (kept.size >= MAX_TOLD) more += 1;
      else {
        const refusal = { via, host: host.slice(0, MAX_HOST), port, reason };
        kept.set(key, { ...refusal, count: 0 });
        tell({ ...refusal, count: 1 });
      }
    },
    close() {
      clearTimeout(timer);
      flush();
    },
  };
}
