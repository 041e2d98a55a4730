// The audit log: every security event with its user, address and outcome.

import type { Database, Tx } from '../db/db.ts';
import { newId } from '../db/ids.ts';

export type AuditEntry = {
  event: string;
  outcome: string;
  userId?: string | null;
  /** The user who did it, if it is not the user it was done to. */
  actorId?: string | null;
  address?: string | null;
  data?: object;
};

export function createAudit({ db }: Database) {
  return {
    async add(entry: AuditEntry, tx?: Tx): Promise<void> {
      await (tx?.db ?? db).insertInto('audit').values(rowOf(entry)).execute();
    },

    /** In one statement. */
    async addAll(entries: AuditEntry[]): Promise<void> {
      if (entries.length > 0) await db.insertInto('audit').values(entries.map(rowOf)).execute();
    },

    of: (userId: string) =>
      db.selectFrom('audit').selectAll().where('user_id', '=', userId).orderBy('recorded_at').orderBy('id').execute(),
  };
}

const rowOf = ({ event, outcome, userId = null, actorId = null, address = null, data = {} }: AuditEntry) => ({
  id: newId(),
  event,
  outcome,
  user_id: userId,
  actor_id: actorId,
  address,
  data: JSON.stringify(data),
});
