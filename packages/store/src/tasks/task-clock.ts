// The time that a task has worked, without the time of people and of waiting for a browser.

import type { TaskState } from '@pilothouse/contract';
import { sql } from 'kysely';
import { now } from '../db/clock.ts';

/** The states in which a person has the task: its clock stops. */
const paused: TaskState[] = ['awaiting_user', 'takeover'];

/** The change of the clock's columns by a move to this state; part of the statement that makes the move. */
export const clocksOf = (to: TaskState) =>
  paused.includes(to)
    ? { paused_at: sql<Date>`coalesce(paused_at, ${now})` }
    : { paused_at: null, paused_ms: sql<number>`paused_ms + ${pausedMs}` };

const pausedMs = sql<number>`coalesce(round(1000 * extract(epoch from ${now} - paused_at)), 0)::bigint`;

/** The present wait of its session for a browser, while no person has the task. Former waits are in `paused_ms`. */
const waitingMs = sql<number>`coalesce((
  select round(1000 * extract(epoch from ${now} - greatest(w.since, started_at))) from browser_waits w
  where w.session_id = tasks.session_id and w.until > clock_timestamp() and paused_at is null), 0)::bigint`;

/** By the database's clock; 0 before its start. */
export const workedMs = sql<number>`greatest(0,
  coalesce(round(1000 * extract(epoch from ${now} - started_at)), 0)::bigint - paused_ms - ${pausedMs} - ${waitingMs})`;
