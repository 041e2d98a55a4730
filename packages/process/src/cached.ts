// Keeps an answer for a short time, for several jobs that ask the same. Those that ask at once share one question.

import { setTimeout as sleep } from 'node:timers/promises';

export function cached<T>(ask: () => Promise<T>, maxAgeMs: number): () => Promise<T> {
  let last: { at: number; answer: Promise<T> } | undefined;
  return () => {
    const now = performance.now();
    if (last && now - last.at < maxAgeMs) return last.answer;
    const answer = ask();
    const asked = { at: now, answer };
    last = asked;
    // What failed is asked again by the next job.
    answer.catch(() => {
      if (last === asked) last = undefined;
    });
    return answer;
  };
}

// Metrics that something outside this process has to be asked for: only when metrics are read, at most once in the given time,
// however many read them; and whoever reads them never waits long.
export type Figures<T> = {
  /** Undefined if there is no answer that is young enough. */
  read(): Promise<T | undefined>;
};

type Options<T> = { ask: () => Promise<T>; everyMs: number; patienceMs?: number };

/** An answer that comes after `patienceMs` is shown by the next read. Failures too are not repeated before the time is over. */
export function createFigures<T>({ ask, everyMs, patienceMs = 2000 }: Options<T>): Figures<T> {
  let askedAt = Number.NEGATIVE_INFINITY;
  let last: { at: number; answer: T } | undefined;
  let asking: Promise<void> | undefined;

  async function askNow(): Promise<void> {
    askedAt = performance.now();
    try {
      const answer = await ask();
      last = { at: performance.now(), answer };
    } catch {
      last = undefined;
    } finally {
      asking = undefined;
    }
  }

  return {
    async read() {
      if (!asking && performance.now() - askedAt >= everyMs) asking = askNow();
      if (asking) {
        const enough = new AbortController();
        await Promise.race([
          asking,
          sleep(patienceMs, undefined, { signal: enough.signal, ref: false }).catch(() => {}),
        ]);
        enough.abort();
      }
      return last && performance.now() - last.at < everyMs + patienceMs ? last.answer : undefined;
    },
  };
}
