import pg from 'pg';
import type { Database } from './db.ts';

/** Where the locks of living agents stand among the locks of this database. */
const lockSpace = 7_464_103;

/**
 * Who of the agents lives. Each holds a lock on a connection of its own, which the database frees the moment the
 * process is gone; whoever finds the lock of another free may recover what that one held, once.
 */
export function createAgents({ pool }: Database, url: string) {
  return {
    /** Announces this agent and holds its lock. `lost` settles when the lock is gone: then others may take us for dead. */
    async enter(id: string): Promise<{ lost: Promise<void>; leave(): Promise<void> }> {
      const client = new pg.Client({
        connectionString: url,
        keepAlive: true,
        connectionTimeoutMillis: 5000,
        // Our own lock of before may outlive its connection for a moment; whoever calls tries again.
        lock_timeout: 5000,
      });
      const lost = new Promise<void>((resolve) => {
        client.on('error', () => resolve());
        client.on('end', () => resolve());
      });
      await client.connect();
      try {
        await client.query('select pg_advisory_lock($1, hashtext($2))', [lockSpace, id]);
        await client.query('insert into agents (id) values ($1) on conflict do nothing', [id]);
      } catch (error) {
        await client.end();
        throw error;
      }
      return { lost, leave: () => client.end() };
    },

    /** Agents whose lock nobody holds and whom nobody has recovered. */
    async missing(exceptId: string): Promise<string[]> {
      const { rows } = await pool.query<{ id: string }>(
        // Taken for this statement only: that it can be had means that nobody lives behind it.
        `select id from agents
         where recovered_at is null and id <> $2 and pg_try_advisory_xact_lock($1, hashtext(id::text))`,
        [lockSpace, exceptId],
      );
      return rows.map(({ id }) => id);
    },

    /** Takes over what a missing agent held; true for exactly one of those who try. */
    async claim(id: string, by: string): Promise<boolean> {
      const { rowCount } = await pool.query(
        `update agents set recovered_by = $3, recovered_at = now()
         where id = $2 and recovered_at is null and pg_try_advisory_xact_lock($1, hashtext(id::text))`,
        [lockSpace, id, by],
      );
      return rowCount === 1;
    },

    /** Removes those whose work others took up a day ago, and who are said to be at none any more; answers how many. */
    async sweep(): Promise<number> {
      const { rowCount } = await pool.query(
        `delete from agents a where a.recovered_at < now() - interval '1 day'
           and not exists (select from executions e where e.agent_id = a.id and e.finished_at is null)`,
      );
      return rowCount ?? 0;
    },
  };
}
