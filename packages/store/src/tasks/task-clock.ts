import type { TaskState } from '@pilothouse/contract';
import { sql } from 'kysely';

const now = sql<Date>`date_trunc('milliseconds', clock_timestamp())`;

/** The states in which a person has the task: its own clock stands. */
const paused: TaskState[] = ['awaiting_user', 'takeover'];

/** What a move to this state does to the two clocks of a task; part of the statement that makes the move. */
export const clocksOf = (to: TaskState) =>
  paused.includes(to)
    ? { paused_at: sql<Date>`coalesce(paused_at, ${now})` }
    : { paused_at: null, paused_ms: sql<number>`paused_ms + ${pausedMs}` };

const pausedMs = sql<number>`coalesce(round(1000 * extract(epoch from ${now} - paused_at)), 0)::bigint`;

/** How long the task has worked by itself, by the database's clock; 0 before its start. */
export const workedMs = sql<number>`greatest(0,
  coalesce(round(1000 * extract(epoch from ${now} - started_at)), 0)::bigint - paused_ms - ${pausedMs})`;
