// The audit, newest first: all of it, of one user, of one event, of a time.

import type { Selectable } from 'kysely';
import { decodeCursor, toPage } from '../db/cursors.ts';
import type { Database } from '../db/db.ts';
import type { Audit } from '../db/generated.ts';

export type AuditRow = Selectable<Audit> & { username: string | null; actor: string | null };
export type AuditFilter = { userId?: string; event?: string; from?: Date; until?: Date };

const order = 'order by recorded_at desc, id desc';

export function createAuditReads({ pool }: Database) {
  return {
    /** `userId`: to whom it was done, or who did it. */
    async audit({ userId, event, from, until, limit, cursor }: AuditFilter & { limit: number; cursor?: string }) {
      const values: unknown[] = [limit + 1];
      const position = cursor ? decodeCursor(cursor) : undefined;
      const given = (value: unknown) => `$${values.push(value)}`;
      const conditions = [
        ...(event !== undefined ? [`event = ${given(event)}`] : []),
        ...(from ? [`recorded_at >= ${given(from)}`] : []),
        ...(until ? [`recorded_at < ${given(until)}`] : []),
        ...(position ? [`(recorded_at, id) < (${given(position.at)}, ${given(position.id)})`] : []),
      ];
      const page = (...more: string[]) => {
        const all = [...more, ...conditions];
        return `(select * from audit ${all.length > 0 ? `where ${all.join(' and ')}` : ''} ${order} limit $1)`;
      };
      const user = userId && given(userId);
      // No line is in both.
      const source = user
        ? `(${page(`user_id = ${user}`)} union all ${page(`actor_id = ${user}`, 'user_id is distinct from actor_id')}
           ${order} limit $1)`
        : page();
      // Without a name, so that it is planned for these values: a plan for any would sort all lines of a busy user.
      const { rows } = await pool.query<AuditRow>({
        text: `select a.*, u.username, w.username as actor from ${source} as a
               left join users u on u.id = a.user_id left join users w on w.id = a.actor_id ${order}`,
        values,
      });
      return toPage(rows, limit, (row) => ({ at: row.recorded_at, id: row.id }));
    },
  };
}
