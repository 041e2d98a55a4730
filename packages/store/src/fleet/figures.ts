// What an operator wants to know of the whole installation, for metrics. Each is one statement whose cost is bounded: it
// reads what is live, along an index, and never what is stored.

import type { WaitCause } from '@pilothouse/contract';
import type { Database } from '../db/db.ts';
import { queue } from './queue-order.ts';
import { causeColumns, waitingSince, withCause } from './wait-cause.ts';

/** Open tasks of one status that wait for the same thing, or for nothing. */
export type TaskFigures = {
  status: 'pending' | 'running' | 'awaiting_user' | 'takeover';
  cause: WaitCause | null;
  count: number;
  /** For how long the first of them has waited. */
  oldestSecs: number;
};
export type FleetFigures = {
  /** Hosts with a lease. */
  hosts: number;
  /** Those of them that agents avoid, because they refused a browser although they claimed room. */
  shunnedHosts: number;
  /** Hosts whose lease has run out within the last day. */
  goneHosts: number;
  slots: number;
  freeSlots: number;
  /** Agents that were seen lately. */
  agents: number;
  /** Agents that were not, and whose work no other agent has recovered. */
  missingAgents: number;
  /** Sessions that wait for a browser: for a task, or only for a person. */
  waitingTasks: number;
  waitingPersons: number;
};

/** More are not counted: the figure stays at this number. */
const mostTasks = 100_000;
/** Three times the usual lease of an agent. */
export const seenSecs = 30;

// Ids begin with the time, so the oldest are counted first.
const tasksText = `
with open as materialized (
  select ${causeColumns} from tasks
  where status in ('pending', 'running', 'awaiting_user', 'takeover') order by id limit $1
), seen as (${withCause('open')}
)
select status, cause, count(*)::int as count,
  coalesce(greatest(0, extract(epoch from now() - min(${waitingSince}))), 0)::float8 as "oldestSecs"
from seen group by status, cause`;

const fleetText = `
with ${queue}, alive as (
  select capacity, coalesce(shunned_until > now(), false) as is_shunned, lease_until > now() as is_live
  from hosts where lease_until > now() - interval '1 day'
)
select (select count(*) from alive where is_live)::int as hosts,
  (select count(*) from alive where is_live and is_shunned)::int as "shunnedHosts",
  (select count(*) from alive where not is_live)::int as "goneHosts",
  (select coalesce(sum(capacity), 0) from alive where is_live)::int as slots,
  (select free from room)::int as "freeSlots",
  (select count(*) from standing where for_task)::int as "waitingTasks",
  (select count(*) from standing where not for_task)::int as "waitingPersons",
  (select count(*) from agents where recovered_at is null
     and seen_at > clock_timestamp() - interval '${seenSecs} seconds')::int as agents,
  (select count(*) from agents where recovered_at is null
     and coalesce(seen_at <= clock_timestamp() - interval '${seenSecs} seconds', true))::int as "missingAgents"`;

/** Of the last day, the newest `most`, and whether there were more. */
export type EndedFigures = { tasks: number; failed: number; isCut: boolean };

const mostEnded = 10_000;

export function createInstallationFigures({ pool }: Database) {
  return {
    async ended(most = mostEnded): Promise<EndedFigures> {
      const { rows } = await pool.query<{ tasks: number; failed: number }>({
        name: 'figures.ended',
        text: `select count(*)::int as tasks, (count(*) filter (where status = 'failed'))::int as failed from (
                 select status from tasks where finished_at > now() - interval '1 day'
                 order by finished_at desc, id desc limit $1) as newest`,
        values: [most],
      });
      const { tasks = 0, failed = 0 } = rows[0] ?? {};
      return { tasks, failed, isCut: tasks === most };
    },

    async tasks(most = mostTasks): Promise<TaskFigures[]> {
      const { rows } = await pool.query<TaskFigures>({ name: 'figures.tasks', text: tasksText, values: [most] });
      return rows;
    },

    async fleet(): Promise<FleetFigures> {
      const { rows } = await pool.query<FleetFigures>({ name: 'figures.fleet', text: fleetText });
      const [found] = rows;
      if (!found) throw new Error('a select without rows');
      return found;
    },
  };
}
