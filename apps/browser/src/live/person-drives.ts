// Whether a person drives, under which epoch, and how long ago the last one stopped.

export type DriverKind = 'person' | 'agent' | 'program' | 'unknown';

export type PersonDrives = {
  isPerson(): boolean;
  /** Since the last person stopped driving, on the monotonic clock. */
  stoppedAgoMs(): number;
  /**
   * A driver acts under this epoch. Once a person's, it stays a person's, unless an agent acts under it. `isOver`: the
   * drive of a person ended, though another person may drive now. Undefined where the epoch is an older one.
   */
  set(epoch: number, who: DriverKind): { wasPerson: boolean; isOver: boolean } | undefined;
};

export function createPersonDrives(first: { epoch: number; isPerson: boolean }): PersonDrives {
  let { epoch, isPerson } = first;
  let stoppedAt = Number.NEGATIVE_INFINITY;

  return {
    isPerson: () => isPerson,
    stoppedAgoMs: () => performance.now() - stoppedAt,
    set(next, who) {
      if (next < epoch) return undefined;
      const wasPerson = isPerson;
      if (next > epoch) isPerson = who === 'person';
      else if (who !== 'unknown') isPerson = who === 'person';
      const isOver = wasPerson && (next > epoch || !isPerson);
      epoch = next;
      if (wasPerson && !isPerson) stoppedAt = performance.now();
      return { wasPerson, isOver };
    },
  };
}
