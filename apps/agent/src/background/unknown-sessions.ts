// Sessions that a host reports and that the database does not know: of a purge, of another database, or made up. Each is closed
// once. A host that makes up more and more of them is not asked again until it is restarted.

import type { Log } from '@pilothouse/process';
import type { Orphan } from '@pilothouse/store';

/** For each start of a host. More than these are made up. */
const maxTries = 100;
/** The oldest are forgotten beyond this. */
const maxHosts = 1000;

export function createUnknownSessions({ log }: { log: Log }) {
  const tried = new Map<string, Set<string>>();

  function triedAt(bootId: string): Set<string> {
    const known = tried.get(bootId) ?? new Set();
    tried.set(bootId, known);
    const [oldest] = tried.keys();
    if (tried.size > maxHosts && oldest !== undefined) tried.delete(oldest);
    return known;
  }

  function isWorthATry({ sessionId, hostId, bootId }: Orphan): boolean {
    const at = triedAt(bootId);
    if (at.has(sessionId) || at.size >= maxTries) return false;
    at.add(sessionId);
    if (at.size === maxTries) log.warn({ host_id: hostId }, 'a host reports many sessions that do not exist');
    return true;
  }

  return {
    /** Those that should be closed now: of sessions that exist each time, of others once. */
    untried: (orphans: Orphan[]): Orphan[] => orphans.filter((one) => one.isKnown || isWorthATry(one)),
  };
}
