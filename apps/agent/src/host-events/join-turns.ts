// Whose wish to join is judged when. A host that asks without end waits for itself: hosts of other addresses get their turn, and
// those that were here before come back while strangers crowd.

/** Each has a connection of the database, which the work of tasks needs too. Who is not judged comes again. */
const atOnce = 3;
/** Of them, so that those that are known find one free. */
const strangersAtOnce = 2;
/** Under judgement or waiting, of one address. A host has two connections, and a machine may have several hosts. */
const mostOfAddress = 8;
/** Later NATS does not wait for the answer. */
const waitMs = 1000;

export type JoinTurns = {
  /** Undefined: it is not its turn, and will not be soon. */
  take<T>(from: { address: string; isKnown: boolean }, judge: () => Promise<T>): Promise<{ verdict: T } | undefined>;
};

export function createJoinTurns(now: () => number = () => performance.now()): JoinTurns {
  const lines = new Map<string, { count: number; last: Promise<void> }>();
  let judged = 0;
  let strangers = 0;

  async function judgeNow<T>(isKnown: boolean, judge: () => Promise<T>): Promise<{ verdict: T } | undefined> {
    if (judged >= atOnce || (!isKnown && strangers >= strangersAtOnce)) return undefined;
    const stranger = isKnown ? 0 : 1;
    judged += 1;
    strangers += stranger;
    try {
      return { verdict: await judge() };
    } finally {
      judged -= 1;
      strangers -= stranger;
    }
  }

  return {
    async take({ address, isKnown }, judge) {
      const line = lines.get(address) ?? { count: 0, last: Promise.resolve() };
      if (line.count >= mostOfAddress) return undefined;
      lines.set(address, line);
      const { promise, resolve } = Promise.withResolvers<void>();
      const before = line.last;
      line.last = promise;
      line.count += 1;
      const giveUpAt = now() + waitMs;
      try {
        await before;
        return now() < giveUpAt ? await judgeNow(isKnown, judge) : undefined;
      } finally {
        resolve();
        line.count -= 1;
        if (line.count === 0) lines.delete(address);
      }
    },
  };
}
