// What a process finds out about its database when it starts: a pooler that breaks it is refused, and rights that it does not need are
// warned about.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from './log.ts';
import { SettingsError } from './settings.ts';

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

/**
 * `isPooled` may fail: a database that does not answer yet is reported elsewhere, and holds up no start. It is asked again until it
 * answers, and a pooler that is found then ends the process as an uncaught error does; the next start is refused.
 */
export async function refusePooler(isPooled: () => Promise<boolean>, { againMs = 5000 } = {}): Promise<void> {
  const found = await isPooled().catch(() => undefined);
  if (found) throw poolerRefused();
  if (found === undefined) void refuseLater(isPooled, againMs);
}

async function refuseLater(isPooled: () => Promise<boolean>, againMs: number): Promise<void> {
  let found: boolean | undefined;
  while (found === undefined) {
    await sleep(againMs, undefined, { ref: false });
    found = await isPooled().catch(() => undefined);
  }
  if (found) throw poolerRefused();
}

const poolerRefused = () =>
  new SettingsError([
    'DATABASE_URL: a pooler gives its connections to other clients between transactions (PgBouncer: pool_mode = transaction or ' +
      'statement). Locks and prepared statements would be lost, and living agents would be taken for dead. Connect directly, or ' +
      'through a pooler in session mode',
  ]);
