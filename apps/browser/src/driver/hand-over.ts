// Replaces the driver. What a person left on the pages is covered before the next driver begins.

import type { Driver } from './driver.ts';

const coverMs = 300;

type DriverKind = 'person' | 'agent' | 'program' | 'unknown';

/** False where a newer epoch drives. */
export type HandOver = (epoch: number, who: DriverKind) => Promise<boolean>;

type Options = {
  driver: Driver;
  privacy: {
    drive(epoch: number, who: DriverKind): void;
    covered(timeoutMs: number): Promise<void>;
  };
};

export function createHandOver({ driver, privacy }: Options): HandOver {
  return async (offered, who) => {
    if (!driver.mayTake(offered)) return false;
    const isNew = offered > driver.epoch();
    if (who === 'person') privacy.drive(offered, who);
    const isTaken = await driver.take(offered);
    // Not before the former driver has stopped: what a person typed last is to be covered too.
    if (isTaken) privacy.drive(offered, who);
    if (isNew) await privacy.covered(coverMs);
    return isTaken;
  };
}
