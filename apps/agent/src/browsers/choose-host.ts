// Gives a session to the host with the most room. Sessions that begin at the same moment choose one after the other, so that each sees
// what the one before it took: of those that chose at once, one host would get all.

import type { Store } from '@pilothouse/store';
import type { LaunchOptions } from './launch-options.ts';
import type { createOpenClose } from './open-close.ts';
import { createTurns } from './turns.ts';

/** A session whose row is locked elsewhere holds up the others no longer. */
const heldUpMs = 500;

type Options = { store: Store; assign: ReturnType<typeof createOpenClose>['assign'] };
type Choice = {
  /** The epoch that the session's browser had last. */
  before: number;
  executionId: string | undefined;
  /** The hosts that did not answer. */
  silentBoots: string[];
  signal: AbortSignal;
};

export function createHostChoice({ store, assign }: Options) {
  const turns = createTurns({ atOnce: 1, passesOnMs: heldUpMs });
  return (session: LaunchOptions, { before, executionId, silentBoots, signal }: Choice) =>
    turns.run(async () => {
      const host = await store.hosts.mostFree(session.id, silentBoots);
      if (!host) return 'not_its_turn';
      const taken = await assign(session, host, before, executionId);
      return typeof taken === 'string' ? taken : { ...taken, host };
    }, signal);
}
