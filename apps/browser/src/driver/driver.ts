// Who drives a session: the newest epoch. A new driver is acknowledged when the former driver can touch nothing any
// more. An epoch further ahead than any database can have issued is refused: no driver could ever follow it.

import { isEpochBeyond } from '@pilothouse/bus';

export type Driver = {
  epoch(): number;
  /** Aborted when another driver takes over. */
  signal(): AbortSignal;
  /** False for an epoch that is older, or further ahead than it can be: nothing is to be done for it. */
  mayTake(epoch: number): boolean;
  /** Resolves once the epoch drives alone; false where a newer one does. Rejects where the former does not stop. */
  take(epoch: number): Promise<boolean>;
  close(): void;
};

/** `stopFormer` ends what the former driver has begun. Nothing of it happens after this resolves, or it rejects. */
export function createDriver(first: number, stopFormer: () => Promise<void>): Driver {
  let epoch = first;
  let current = new AbortController();
  let handover: Promise<void> = Promise.resolve();

  const mayTake = (offered: number) => offered >= epoch && !isEpochBeyond(offered, epoch);

  return {
    epoch: () => epoch,
    signal: () => current.signal,
    mayTake,
    async take(offered) {
      if (!mayTake(offered)) return false;
      if (offered > epoch) {
        epoch = offered;
        current.abort();
        current = new AbortController();
        handover = handover.then(stopFormer, stopFormer);
      } else {
        // A driver that asks again has the former stopped again, where that failed.
        handover = handover.catch(stopFormer);
      }
      await handover;
      return offered === epoch;
    },
    close: () => current.abort(),
  };
}
