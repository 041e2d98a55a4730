// Warns if a process has more rights in the database than it needs.

import type { Log } from './log.ts';

/**
 * Says once, in the log, that a process has more rights in the database than it needs. It does not hold up the start.
 */
export function warnOfSuperuser(store: { isSuperuser(): Promise<boolean> }, log: Log): void {
  store.isSuperuser().then(
    (isSuperuser) => {
      if (isSuperuser)
        log.warn(
          'the role in DATABASE_URL is a superuser of PostgreSQL: an attacker who takes over this process has the whole cluster ' +
            'and its machine; use a role that owns the database and nothing else',
        );
    },
    // The database does not answer yet, which is reported elsewhere.
    () => {},
  );
}
