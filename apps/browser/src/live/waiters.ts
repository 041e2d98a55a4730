// Waits for conditions that change by events: code that changes one calls `release`.

export type Waiters = {
  /** Resolves when the condition holds, or after this time. */
  until(isOver: () => boolean, timeoutMs: number): Promise<void>;
  /** Resolves the waits whose condition holds now. */
  release(): void;
};

export function createWaiters(): Waiters {
  let waiting: { isOver: () => boolean; resolve: () => void }[] = [];

  return {
    async until(isOver, timeoutMs) {
      if (isOver()) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      const one = { isOver, resolve };
      waiting.push(one);
      const timer = setTimeout(resolve, timeoutMs);
      await promise;
      clearTimeout(timer);
      waiting = waiting.filter((other) => other !== one);
    },
    release() {
      const over = waiting.filter(({ isOver }) => isOver());
      waiting = waiting.filter((one) => !over.includes(one));
      for (const { resolve } of over) resolve();
    },
  };
}
