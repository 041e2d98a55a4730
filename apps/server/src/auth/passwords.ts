import { availableParallelism } from 'node:os';
import { hash, verify } from '@node-rs/argon2';
import { AppError } from '@pilothouse/contract';

/** Argon2id, the library's own default, at the cost that OWASP names as a minimum. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
const waitingAtMost = 64;
const retryAfterSecs = 2;

/**
 * Hashing is the dearest thing a stranger can ask for: so many at a time, so many that wait, and the others are told
 * to come again. The event loop and the database stay free for everybody who is logged in.
 */
export function createPasswords({ atOnce = Math.max(1, Math.floor(availableParallelism() / 2)) } = {}) {
  const waiting: (() => void)[] = [];
  let running = 0;
  let nobodys: Promise<string> | undefined;

  async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (running < atOnce) running++;
    else {
      if (waiting.length >= waitingAtMost) throw new AppError('overloaded', { retryAfterSecs });
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
    try {
      return await work();
    } finally {
      // The place is handed on, never free in between: somebody new would take it as well.
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  }
  /** The same text looks different in memory on different keyboards; people mean what they see. */
  const normal = (password: string) => password.normalize('NFKC');

  return {
    hash: (password: string): Promise<string> => inTurn(() => hash(normal(password), cost)),

    /** An account that is not there, or has no password, costs the same as a wrong password. */
    async verify(stored: string | null | undefined, password: string): Promise<boolean> {
      nobodys ??= hash('nobody has this password', cost);
      const against = stored ?? (await nobodys);
      const isRight = await inTurn(() => verify(against, normal(password)));
      return isRight && stored !== null && stored !== undefined;
    },

    /** Whether it was hashed at another cost than today's. */
    isOutdated: (stored: string) =>
      !stored.startsWith(`$argon2id$v=19$m=${cost.memoryCost},t=${cost.timeCost},p=${cost.parallelism}$`),
  };
}
export type Passwords = ReturnType<typeof createPasswords>;
