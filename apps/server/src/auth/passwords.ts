// Hashes and verifies passwords. It is the most expensive work that an unknown client can ask for, so it is bounded.

import { availableParallelism } from 'node:os';
import { hash, verify } from '@node-rs/argon2';
import { AppError } from '@pilothouse/contract';

/** Argon2id, the library's own default, at the cost that OWASP names as a minimum. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
const waitingAtMost = 64;
const retryAfterSecs = 2;

/** A few hashes run at a time, a few requests wait, and others are refused: the server stays free for logged-in users. */
export function createPasswords({ atOnce = Math.max(1, Math.floor(availableParallelism() / 2)) } = {}) {
  const waiting: (() => void)[] = [];
  let running = 0;
  let dummyHash: Promise<string> | undefined;

  async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (running < atOnce) running++;
    else {
      if (waiting.length >= waitingAtMost) throw new AppError('overloaded', { retryAfterSecs });
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
    try {
      return await work();
    } finally {
      // The turn goes to the next one directly: a new request must not take it in between.
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  }
  /** The same visible text can have different code points on different keyboards. */
  const normalized = (password: string) => password.normalize('NFKC');

  return {
    hash: (password: string): Promise<string> => inTurn(() => hash(normalized(password), cost)),

    /** An unknown account, or one without a password, takes the same time as a wrong password. */
    async verify(stored: string | null | undefined, password: string): Promise<boolean> {
      dummyHash ??= hash('nobody has this password', cost);
      const against = stored ?? (await dummyHash);
      const isRight = await inTurn(() => verify(against, normalized(password)));
      return isRight && stored !== null && stored !== undefined;
    },

    /** Whether it was hashed at another cost than the present one. */
    isOutdated: (stored: string) =>
      !stored.startsWith(`$argon2id$v=19$m=${cost.memoryCost},t=${cost.timeCost},p=${cost.parallelism}$`),
  };
}
export type Passwords = ReturnType<typeof createPasswords>;
