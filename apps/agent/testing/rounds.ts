// Tells when background work has looked again, so that tests need not wait for a fixed time to see that nothing happens.

import { until } from '../../../testkit/until.ts';

const waitMs = 20_000;

export function countRounds() {
  let begun = 0;
  return {
    /** Call it once in each round, always at the same place. */
    count(): void {
      begun += 1;
    },
    /** Waits until this many more rounds have begun and ended. */
    async pass(rounds = 1): Promise<void> {
      const from = begun;
      await until(() => begun > from + rounds, waitMs);
    },
  };
}
type Rounds = ReturnType<typeof countRounds>;

/** Waits until each of the agents has made this many more rounds. */
export const passAll = (agents: Rounds[], rounds = 1): Promise<unknown> =>
  Promise.all(agents.map((agent) => agent.pass(rounds)));
