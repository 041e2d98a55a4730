import type { Database, Tx } from './db.ts';

/** Who asks, under which key of theirs, and a hash of what they ask for: the request itself is not kept. */
export type Request = { userId: string; key: string; requestHash: Buffer };
/** What the key names: whether it was asked for in the same words, and the task that was begun for it. */
export type Known = { isSame: boolean; taskId: string };

/** How long a key is remembered. */
const keptFor = `interval '24 hours'`;

/** Requests that were sent under a key: asked again, they are not done again. */
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
    /** What the key names already. Only `take` decides; this spares those who come later a transaction. */
    known: (request: Request): Promise<Known | undefined> => find(pool, request),

    /**
     * Takes the key for this task; answers with what it names already, where somebody was quicker. Whoever comes while
     * the first is under way waits here for its commit. Where that fails, the key is free again.
     */
    async take({ client }: Tx, request: Request, taskId: string): Promise<Known | undefined> {
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
        // Else it was swept in this very moment, and is free.
        if (found) return found;
      }
    },

    /** Keys that nobody may rely on any more. */
    async sweep(): Promise<number> {
      const { rowCount } = await pool.query(`delete from idempotency_keys where created_at <= now() - ${keptFor}`);
      return rowCount ?? 0;
    },
  };
}
