// Who drives. A newer epoch always wins; it is acknowledged when whoever drove before can touch nothing any more.

export type Wheel = {
  epoch(): number;
  /** Aborted when somebody else takes the wheel. */
  signal(): AbortSignal;
  /** Resolves once the offered epoch drives alone; false where a newer one does. Rejects where the former does not end. */
  take(epoch: number): Promise<boolean>;
  close(): void;
};

/** `letGo`: what the former driver had in hand is given up. Nothing of it happens after this resolves, or it rejects. */
export function createWheel(first: number, letGo: () => Promise<void>): Wheel {
  let epoch = first;
  let driver = new AbortController();
  let handover: Promise<void> = Promise.resolve();

  return {
    epoch: () => epoch,
    signal: () => driver.signal,
    async take(offered) {
      if (offered < epoch) return false;
      if (offered > epoch) {
        epoch = offered;
        driver.abort();
        driver = new AbortController();
        handover = handover.then(letGo, letGo);
      } else {
        // Whoever asks again has it tried again.
        handover = handover.catch(letGo);
      }
      await handover;
      return offered === epoch;
    },
    close: () => driver.abort(),
  };
}
