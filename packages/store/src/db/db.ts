// The connection pool and transactions. The only place where the store connects to PostgreSQL, except for migrations and
// the presence of agents.

import { Kysely, PostgresDialect, type PostgresPoolClient } from 'kysely';
import pg from 'pg';
import type { DB } from './generated.ts';
import { refuseUnreplicated } from './unreplicated.ts';

export type Db = Kysely<DB>;
/**
 * One open transaction: `db` builds queries, `client` is for prepared statements. `hasQueued` is set by what makes a task
 * due: agents are told after the commit.
 */
export type Tx = { db: Db; client: pg.ClientBase; hasQueued?: boolean };

export type Database = ReturnType<typeof openDatabase>;

/** As numbers: 2^53 events in one session are out of reach. */
const types = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format),
};

/** For signs of life: two, because one may wait for a database that does not answer. */
const vitalPoolSize = 2;
const defaultVitalMs = 3000;

type PoolOptions = Pick<OpenOptions, 'url' | 'name' | 'onError'> & {
  size: number;
  connectMs: number;
  statementMs: number;
};

/** A pool that survives restarts of the database: broken connections are dropped, and the next query opens new ones. */
function openPool({ url, name, size, connectMs, statementMs, onError }: PoolOptions): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    ...(name && { application_name: name }),
    types,
    max: size,
    keepAlive: true,
    connectionTimeoutMillis: connectMs,
    statement_timeout: statementMs,
    query_timeout: Math.ceil(statementMs * 1.2),
    idle_in_transaction_session_timeout: 15_000,
  });
  // An idle connection broke. No query waits for it, and the pool has dropped it already.
  pool.on('error', onError);
  pool.on('connect', (client) => {
    // A connection in use broke: the query that uses it fails as well, and reports it.
    client.on('error', () => {});
    refuseUnreplicated(client);
  });
  return pool;
}

export function openDatabase({ url, name, poolSize = 10, vitalMs = defaultVitalMs, ...options }: OpenOptions) {
  const { onError, onQueued = () => {} } = options;
  const pool = openPool({ url, name, size: poolSize, connectMs: 3000, statementMs: 10_000, onError });
  // It connects when it is first used, so only agents have these connections.
  const vitalOptions = { size: vitalPoolSize, connectMs: vitalMs, statementMs: vitalMs };
  const vitalPool = openPool({ url, name: name && `${name} vital`, ...vitalOptions, onError });

  return {
    db: dbOf(pool),
    pool,
    /** For signs of life only: what waits for `pool` does not delay them. */
    vital: { pool: vitalPool, db: dbOf(vitalPool) },

    async transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
      const client = await pool.connect();
      let isBroken = false;
      try {
        await client.query('begin');
        const tx = openTx(client);
        const result = await work(tx);
        const { command } = await client.query('commit');
        // PostgreSQL answers ROLLBACK if a statement failed and its error was swallowed: nothing was committed.
        if (command === 'ROLLBACK') throw new Error('the transaction had failed and was rolled back');
        if (tx.hasQueued) onQueued();
        return result;
      } catch (error) {
        isBroken = hasOldPlan(error) || isStuck(error);
        // It would wait behind the statement that does not end, for as long again.
        if (!isStuck(error))
          await client.query('rollback').catch(() => {
            isBroken = true;
          });
        throw error;
      } finally {
        // A connection that could not roll back, or whose prepared statements are too old, is not used again.
        client.release(isBroken);
      }
    },

    /** Whether the database answers within the time. */
    async ping(timeoutMs: number): Promise<boolean> {
      const late = AbortSignal.timeout(timeoutMs);
      const expired = new Promise<false>((resolve) => late.addEventListener('abort', () => resolve(false)));
      const answered = pool.query('select 1').then(
        () => true,
        () => false,
      );
      return Promise.race([answered, expired]);
    },

    /** Whether this role may do everything in the whole cluster, which the store never needs. */
    async isSuperuser(): Promise<boolean> {
      const { rows } = await pool.query('select rolsuper from pg_roles where rolname = current_user');
      return rows[0]?.rolsuper === true;
    },

    async close(): Promise<void> {
      await Promise.all([pool.end(), vitalPool.end()]);
    },
  };
}

type OpenOptions = {
  url: string;
  name?: string;
  poolSize?: number;
  /** How long a sign of life may take in the database: less than the shortest lease. */
  vitalMs?: number;
  onError: (error: Error) => void;
  /** Called after a commit that made tasks due. */
  onQueued?: () => void;
};

const dbOf = (pool: pg.Pool): Db => new Kysely<DB>({ dialect: new PostgresDialect({ pool }) });

/** Made when it is first asked for: most transactions send only prepared statements. */
function openTx(client: pg.PoolClient): Tx {
  let db: Db | undefined;
  return {
    client,
    get db() {
      db ??= bindTo(client);
      return db;
    },
  };
}

/** Kysely on the connection of one transaction. */
function bindTo(client: pg.PoolClient): Db {
  const borrowed: PostgresPoolClient = { query: client.query.bind(client), release: () => {} };
  const pool = { connect: async () => borrowed, end: async () => {}, options: {} };
  return new Kysely<DB>({ dialect: new PostgresDialect({ pool }) });
}

const unavailableCodes = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN']);

/**
 * Whether a migration has added a column to what a prepared statement returns. The connection refuses the statement for
 * as long as it lives; another one prepares it again.
 */
const hasOldPlan = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === '0A000' && /cached plan/.test(error.message);

/** Whether the connection still waits for an answer that nobody waits for any more. */
const isStuck = (error: unknown): boolean => error instanceof Error && error.message === queryTimeout;

/** The words of the library. */
const queryTimeout = 'Query read timeout';

/** Whether the database is unreachable, overloaded or just migrated, and the failure not a bug. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (hasOldPlan(error)) return true;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  // 08: connection failures; 53: out of resources; 57P: shutting down, crashed or starting; 57014: statement timeout.
  if (unavailableCodes.has(code) || /^(08|53|57P)/.test(code) || code === '57014') return true;
  return /Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error/.test(
    error.message,
  );
}
