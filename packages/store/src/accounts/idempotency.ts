// Idempotency keys: a request that is sent again under its key is not done again.

import { countRows } from '../db/count-rows.ts';
import type { Database, Tx } from '../db/db.ts';

/** The user, their key, and a hash of the request; the request itself is not stored. */
export type Request = { userId: string; key: string; requestHash: Buffer };
/** The task that was started for the key, and whether that request was the same. */
export type EarlierRequest = { isSame: boolean; taskId: string };

/** How long a key is stored. */
const keptFor = `interval '24 hours'`;

export function createIdempotency({ pool }: Database) {
  async function find(on: Pick<Tx['client'], 'query'>, { userId, key, requestHash }: Request) {
    const { rows } = await on.query<{ is_same: boolean; task_id: string }>({
      name: 'idempotency.find',
      text: `select request_hash = $3 as is_same, task_id from idempotency_keys
             where user_id = $1 and key = $2 and created_at > now() - ${keptFor}`,
      values: [userId, key, requestHash],
    });
    const [row] = rows;
    return row && { isSame: row.is_same, taskId: row.task_id };
  }

  return {
    /** The earlier request under this key. Only `take` decides; this saves later requests a transaction. */
    known: (request: Request): Promise<EarlierRequest | undefined> => find(pool, request),

    /**
     * Takes the key for this task, or returns the earlier request under this key. A request that comes while the first
     * is under way waits here for its commit; if that fails, the key is free again.
     */
    async take({ client }: Tx, request: Request, taskId: string): Promise<EarlierRequest | undefined> {
      for (;;) {
        const { rowCount } = await client.query({
          name: 'idempotency.take',
          text: `insert into idempotency_keys as known (user_id, key, request_hash, task_id) values ($1, $2, $3, $4)
                 on conflict (user_id, key) do update
                 set request_hash = excluded.request_hash, task_id = excluded.task_id, created_at = now()
                 where known.created_at <= now() - ${keptFor}`,
          values: [request.userId, request.key, request.requestHash, taskId],
        });
        if (rowCount === 1) return undefined;
        const found = await find(client, request);
        // Otherwise it was swept in this very moment, and is free.
        if (found) return found;
      }
    },

    /** Removes keys that have expired. */
    async sweep(limit: number): Promise<number> {
      return countRows(pool, {
        name: 'idempotency.sweep',
        text: `delete from idempotency_keys where (user_id, key) in (
                 select user_id, key from idempotency_keys where created_at <= now() - ${keptFor}
                 order by created_at limit $1 for update skip locked)`,
        values: [limit],
      });
    },
  };
}
