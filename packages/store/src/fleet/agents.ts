import pg from 'pg';
import type { Database } from './db.ts';

/** Where the locks of living agents stand among the locks of this database. */
const lockSpace = 7_464_103;

/** No sign of life: nobody holds the lock, or nothing was heard for so long. */
const isMissing = `(seen_at < clock_timestamp() - make_interval(secs => $3 / 1000.0)
                    or pg_try_advisory_xact_lock($1, hashtext(id::text)))`;

/**
 * Who of the agents lives. Each holds a lock on a connection of its own, which the database frees the moment the
 * process is gone, and says every few seconds that it works, which one that is stopped does not. Whoever finds another
 * missing may recover what that one held, once.
 */
export function createAgents({ pool }: Database, url: string) {
  return {
    /** Announces this agent and holds its lock. `lost` settles when the lock is gone: then others may take us for dead. */
    async enter(id: string): Promise<{ lost: Promise<void>; leave(): Promise<void> }> {
      const client = new pg.Client({
        connectionString: url,
        application_name: 'pilothouse agent presence',
        keepAlive: true,
        connectionTimeoutMillis: 5000,
        // Our own lock of before may outlive its connection for a moment; whoever calls tries again.
        lock_timeout: 5000,
        query_timeout: 8000,
      });
      const lost = new Promise<void>((resolve) => {
        client.on('error', () => resolve());
        client.on('end', () => resolve());
      });
      await client.connect();
      try {
        await client.query('select pg_advisory_lock($1, hashtext($2))', [lockSpace, id]);
        // After an outage everybody was silent for longer than allowed: whoever is back says so at once.
        await client.query(
          `insert into agents (id, seen_at) values ($1, clock_timestamp())
           on conflict (id) do update set seen_at = excluded.seen_at, recovered_at = null, recovered_by = null`,
          [id],
        );
      } catch (error) {
        await client.end();
        throw error;
      }
      return { lost, leave: () => client.end() };
    },

    /**
     * Says that this agent works. Answers whether somebody took it for dead in the meantime: what it held is with others
     * then, and from here on it counts as living again.
     */
    async beat(id: string): Promise<{ wasRecovered: boolean }> {
      const { rows } = await pool.query<{ was_recovered: boolean }>(
        `update agents set seen_at = clock_timestamp(), recovered_at = null, recovered_by = null
         from (select id, recovered_at is not null as was_recovered from agents where id = $1 for update) as before
         where agents.id = before.id returning before.was_recovered`,
        [id],
      );
      if (rows[0]) return { wasRecovered: rows[0].was_recovered };
      // So long gone that its row was swept.
      await pool.query('insert into agents (id, seen_at) values ($1, clock_timestamp()) on conflict do nothing', [id]);
      return { wasRecovered: true };
    },

    /** Agents without a sign of life whom nobody has recovered. */
    async missing(exceptId: string, leaseMs: number): Promise<string[]> {
      const { rows } = await pool.query<{ id: string }>(
        // The lock is taken for this statement only: that it can be had means that nobody lives behind it.
        `select id from agents where recovered_at is null and id <> $2 and ${isMissing}`,
        [lockSpace, exceptId, leaseMs],
      );
      return rows.map(({ id }) => id);
    },

    /** Takes over what a missing agent held; true for exactly one of those who try. */
    async claim(id: string, by: string, leaseMs: number): Promise<boolean> {
      const { rowCount } = await pool.query(
        `update agents set recovered_by = $4, recovered_at = clock_timestamp()
         where id = $2 and recovered_at is null and ${isMissing}`,
        [lockSpace, id, leaseMs, by],
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
