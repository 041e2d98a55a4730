// The states of many inboxes in one statement: how many tasks wait for each user, and a version that changes with what waits.

import type { Caller } from '../accounts/users.ts';
import type { Database } from '../db/db.ts';

/** The most waiting tasks of one inbox that are counted, longest wait first. */
export const maxCounted = 1000;

export type InboxState = { count: number; version: string };

/** Whose inbox a caller sees. Every admin has the same one: that of all users. */
export const inboxKeyOf = ({ id, role }: Pick<Caller, 'id' | 'role'>): string => (role === 'admin' ? everyone : id);
const everyone = 'everyone';

export function createInboxStates({ pool }: Database) {
  return {
    /** The state of each of these inboxes, by its key, all at one moment. */
    async inboxStates(keys: readonly string[]): Promise<Map<string, InboxState>> {
      const { rows } = await pool.query<InboxState & { key: string }>({
        name: 'tasks.inboxStates',
        text: statesText,
        values: [keys.filter((key) => key !== everyone), keys.includes(everyone)],
      });
      return new Map(rows.map(({ key, count, version }) => [key, { count, version }]));
    },
  };
}

/** One page along an index that holds only tasks that wait for a person. Their time leads PostgreSQL to it. */
const page = (where: string) => `(
  select id, session_id, status, paused_at, question ->> 'asked_at' as asked_at
  from tasks where status in ('awaiting_user', 'takeover')${where} and paused_at > '-infinity'
  order by paused_at, id limit ${maxCounted})`;

/**
 * What the version is made of. The lease of a takeover is not part of it: the driver renews it all the time, and nothing
 * that a list shows changes by that.
 */
const stateOf = (waiting: string) => `
  select count(*)::int as count, md5(coalesce(string_agg(
    concat_ws(' ', w.id, w.status, w.asked_at, (
      select concat_ws(' ', o.id, o.status, o.holder_id) from takeovers o
      where o.session_id = w.session_id and o.task_id = w.id and o.status <> 'ended')),
    ',' order by w.paused_at, w.id), '')) as version
  from (select * from (${waiting}) as found order by paused_at, id limit ${maxCounted}) as w`;

// No task is in both pages of a user: the second holds only tasks in sessions of other users.
const ofUser = `${page(' and owner_id = u.id')} union all ${page(' and created_by = u.id and created_by <> owner_id')}`;
const statesText = `
  select u.id::text as key, i.* from unnest($1::uuid[]) as u (id) cross join lateral (${stateOf(ofUser)}) as i
  union all
  select '${everyone}', i.* from (select where $2) as asked cross join lateral (${stateOf(page(''))}) as i`;
