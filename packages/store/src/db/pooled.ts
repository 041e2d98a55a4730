// Finds out whether a pooler gives our connections to other clients between two transactions, as PgBouncer does in transaction mode.

import pg from 'pg';

const connectMs = 3000;
/** A pooler with several idle connections may happen to hand out the same one a few times. */
const rounds = 5;

/**
 * Locks that an agent holds to show that it lives, prepared statements and settings belong to a connection of PostgreSQL. Behind such a
 * pooler they would be those of the next client: living agents would be taken for dead.
 */
export async function isPooled(url: string): Promise<boolean> {
  const open = () =>
    new pg.Client({ connectionString: url, connectionTimeoutMillis: connectMs, query_timeout: connectMs });
  const [one, other] = [open(), open()];
  // A connection that breaks fails the query that uses it, too.
  for (const client of [one, other]) client.on('error', () => {});
  try {
    await Promise.all([one.connect(), other.connect()]);
    const first = await processOf(one);
    for (let round = 0; round < rounds; round++) {
      // While this transaction is open, a pooler has to serve the other client by another connection.
      await other.query('begin');
      const pids = [await processOf(one), await processOf(other)];
      await other.query('rollback');
      if (pids[0] !== first || pids[1] === first) return true;
    }
    return false;
  } finally {
    await Promise.allSettled([one.end(), other.end()]);
  }
}

async function processOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid ?? 0;
}
