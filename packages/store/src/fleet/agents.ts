// Which agents are alive. An agent that finds another one missing recovers the work of that agent, once.

import pg from 'pg';
import { countRows } from '../db/count-rows.ts';
import type { Database } from '../db/db.ts';

/** An agent that was silent for longer is not counted on for a model. */
const seenSecs = 60;

/** The key space of the agents' locks among the advisory locks of this database. */
export const lockSpace = 7_464_103;

/**
 * The agent's lock is free, or its last heartbeat is older than the lease: $1 is the lock space, $3 the lease. A shared lock,
 * so that agents that look at once do not take each other for the missing one.
 */
export const isMissing = `(seen_at < clock_timestamp() - make_interval(secs => $3 / 1000.0)
                    or pg_try_advisory_xact_lock_shared($1, hashtext(id::text)))`;

/**
 * Whether an agent hears hosts now. Its word that a host is gone counts after it has heard hosts for `settleMs` without a
 * break, and until it says nothing for `validMs`.
 */
export type Hearing = { isHearing: boolean; settleMs: number; validMs: number };
const deaf: Hearing = { isHearing: false, settleMs: 0, validMs: 0 };

type Presence = { lost: Promise<void>; leave(): Promise<void> };

/**
 * Each agent holds a lock on a connection of its own, which the database frees the moment the process is gone, and
 * beats every few seconds, which a stopped process does not.
 */
export function createAgents({ pool, vital }: Database, url: string) {
  return {
    /**
     * Registers this agent and holds its lock. `lost` resolves when the lock is gone: other agents may then recover its
     * work.
     */
    enter: (id: string, models: readonly string[] = []): Promise<Presence> => enter(url, id, models),

    /** The models that agents who were seen lately may ask, in the order of their settings. Agents of one release differ only while settings change. */
    async models(): Promise<string[]> {
      const { rows } = await pool.query<{ model: string }>({
        name: 'agents.models',
        text: `select model from agents, unnest(models) with ordinality as m(model, place)
               where seen_at > clock_timestamp() - make_interval(secs => ${seenSecs}) and recovered_at is null
               group by model order by min(place), model`,
      });
      return rows.map(({ model }) => model);
    },

    /**
     * This agent works. Returns whether another agent has recovered its work in the meantime; from now on it counts as
     * alive again.
     */
    async beat(id: string, { isHearing, settleMs, validMs } = deaf): Promise<{ wasRecovered: boolean }> {
      const { rows } = await vital.pool.query<{ was_recovered: boolean }>({
        name: 'agents.beat',
        text: `update agents set seen_at = clock_timestamp(), recovered_at = null, recovered_by = null,
                 hears_from = case when not $2 then null when hears_until > clock_timestamp() then hears_from
                   else clock_timestamp() + make_interval(secs => $3 / 1000.0) end,
                 hears_until = case when $2 then clock_timestamp() + make_interval(secs => $4 / 1000.0) end
               from (select id, recovered_at is not null as was_recovered from agents where id = $1 for update) as before
               where agents.id = before.id returning before.was_recovered`,
        values: [id, isHearing, settleMs, validMs],
      });
      if (rows[0]) return { wasRecovered: rows[0].was_recovered };
      // It was gone for so long that its row was removed.
      await vital.pool.query('insert into agents (id, seen_at) values ($1, clock_timestamp()) on conflict do nothing', [
        id,
      ]);
      return { wasRecovered: true };
    },

    /** Agents that are missing and whose work is not recovered. */
    async missing(exceptId: string, leaseMs: number): Promise<string[]> {
      const { rows } = await pool.query<{ id: string }>(
        // The lock is taken for this statement only: that it is free means that the agent is gone.
        `select id from agents where recovered_at is null and id <> $2 and ${isMissing}`,
        [lockSpace, exceptId, leaseMs],
      );
      return rows.map(({ id }) => id);
    },

    /** Takes over the work of a missing agent; true for exactly one of the agents that try. */
    async claim(id: string, by: string, leaseMs: number): Promise<boolean> {
      const { rowCount } = await pool.query(
        `update agents set recovered_by = $4, recovered_at = clock_timestamp()
         where id = $2 and recovered_at is null and ${isMissing}`,
        [lockSpace, id, leaseMs, by],
      );
      return rowCount === 1;
    },

    /** Removes agents whose work was recovered a day ago, and that have no open execution; returns how many. */
    async sweep(limit: number): Promise<number> {
      return countRows(pool, {
        name: 'agents.sweep',
        text: `delete from agents where id in (
                 select a.id from agents a where a.recovered_at < now() - interval '1 day'
                   and not exists (select from executions e where e.agent_id = a.id and e.finished_at is null)
                 limit $1 for update of a skip locked)`,
        values: [limit],
      });
    },
  };
}

async function enter(url: string, id: string, models: readonly string[]): Promise<Presence> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'pilothouse agent presence',
    keepAlive: true,
    connectionTimeoutMillis: 5000,
    // This agent's former lock may outlive its connection for a moment; the caller tries again.
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
    // After an outage every agent was silent for longer than its lease: an agent that is back beats at once.
    await client.query(
      `insert into agents (id, seen_at, models) values ($1, clock_timestamp(), $2) on conflict (id) do update
         set seen_at = excluded.seen_at, models = excluded.models, recovered_at = null, recovered_by = null`,
      [id, models],
    );
  } catch (error) {
    await client.end();
    throw error;
  }
  return { lost, leave: () => client.end() };
}
