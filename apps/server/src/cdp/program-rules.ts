// What the acts of a connected program are held to: the rules of the installation and of its user. A program cannot loosen them.

import type { ProgramRules } from '@pilothouse/bus';
import { Policy } from '@pilothouse/contract';
import { rulesFor } from '@pilothouse/policy';
import type { ProgramStanding } from '@pilothouse/store';

/** Rules that cannot be read, such as those of a later release, count as the strictest. */
const read = (one: unknown): Policy => Policy.safeParse(one ?? {}).data ?? { mode: 'watch' };

/** `isGiven`: a person wrote what the program does. */
export function programRulesOf(
  installation: Policy,
  { policy, isAdmin, isWatched }: Omit<ProgramStanding, 'id'>,
  isGiven: boolean,
): ProgramRules {
  const rules = rulesFor({ installation, user: read(policy), isAdmin });
  const needsWatcher = rules.mode === 'watch' || rules.watch.length > 0;
  // Who watches is told only where it matters, so that nothing is sent because viewers come and go.
  return { rules, is_given: isGiven, is_watched: needsWatcher && isWatched };
}
