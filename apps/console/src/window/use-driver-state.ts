// Who drives, as the page shows it: the page is drawn again when the bar says or offers something else, not for its clocks.

import { useTime } from '../common/use-time.ts';
import type { DriverState } from '../live/driver-state.ts';

/** Its words with clocks, and the end of the lease, are read by the parts that show them. */
export const useDriverState = (stateAt: (now: number) => DriverState): DriverState => useTime(stateAt, isSame);

const isSame = (one: DriverState, other: DriverState): boolean =>
  one.kind === other.kind &&
  one.tone === other.tone &&
  one.icon === other.icon &&
  one.who === other.who &&
  (one.leaseEndsAt === undefined) === (other.leaseEndsAt === undefined) &&
  one.actions.join() === other.actions.join();
