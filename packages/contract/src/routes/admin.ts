// Shapes of what administrators see of the whole installation. None has text of a prompt, of a page or of a result.

import { z } from 'zod';
import { TaskState } from '../tasks/states.ts';
import { Count } from '../types/count.ts';
import { Uuid7 } from '../types/id.ts';
import { JsonObject } from '../types/json.ts';
import { Page, queryInt } from '../types/query.ts';
import { text } from '../types/text.ts';
import { TimeParam, Timestamp } from '../types/time.ts';
import { Role } from './auth.ts';

/** What an open task waits for. */
export const waitCauses = [
  'agent',
  'browser',
  'model',
  'approval',
  'plan',
  'question',
  'takeover',
  'session',
  'clock',
] as const;
export const WaitCause = z.enum(waitCauses).meta({ id: 'WaitCause' });
export type WaitCause = z.infer<typeof WaitCause>;

/** A name, an e-mail address or an id. */
const WhichUser = text(254, 1);
const secsOfYear = 366 * 86_400;

export const AdminOverview = z
  .object({
    /** Open tasks by status and by what they wait for, which is null for those that are worked on. */
    tasks: z.array(
      z.object({ status: TaskState, waits_for: WaitCause.nullable(), count: Count, oldest_secs: z.number().min(0) }),
    ),
    /** Of the last day. `is_cut`: there were more, and only the newest are counted. */
    ended: z.object({ tasks: Count, failed: Count, is_cut: z.boolean() }),
    /** `avoided`: agents ask them for no browser, because they refused one although they claimed room. `gone`: within a day. */
    hosts: z.object({ live: Count, avoided: Count, gone: Count }),
    browsers: z.object({ slots: Count, free: Count }),
    /** Sessions that wait for a browser: for a task, or only for a person. */
    waiting: z.object({ tasks: Count, persons: Count }),
    agents: z.object({ live: Count, missing: Count }),
  })
  .meta({ id: 'AdminOverview' });
export type AdminOverview = z.infer<typeof AdminOverview>;

export const AdminUser = z
  .object({
    id: Uuid7,
    username: z.string(),
    email: z.string(),
    role: Role,
    created_at: Timestamp,
    /** Null while the user may log in. */
    disabled_at: Timestamp.nullable(),
    open_sessions: Count,
    open_tasks: Count,
    /** Pictures and files, and saved states of browsers. */
    stored_bytes: z.object({ pictures: Count, states: Count, files: Count }),
  })
  .meta({ id: 'AdminUser' });
export type AdminUser = z.infer<typeof AdminUser>;

/** `user`: only this one. */
export const AdminUsersQuery = Page.extend({ user: WhichUser.optional() });

export const ChangeUserRequest = z.strictObject({ disabled: z.boolean() }).meta({ id: 'ChangeUserRequest' });

export const AdminHost = z
  .object({
    id: z.string(),
    /** `gone`: its lease has run out. `never_seen`: it has a limit, and has not been heard of within a day. */
    state: z.enum(['live', 'gone', 'never_seen']),
    /** It ends, and takes no new session. */
    is_leaving: z.boolean(),
    is_avoided: z.boolean(),
    /** How many sessions it says it has room for, and how many it may hold. */
    claimed: Count.nullable(),
    allowed: Count.nullable(),
    /** The limit of the operator; null: the default of the agents. */
    max_sessions: Count.nullable(),
    /** Its browsers by who is at work in them. */
    held: z.object({ agent: Count, person: Count, idle: Count }),
    /** Of the machine, as shares: processors that are busy, memory that is in use. */
    load: z.object({ cpu: z.number(), memory: z.number() }).nullable(),
    seen_at: Timestamp.nullable(),
    started_at: Timestamp.nullable(),
  })
  .meta({ id: 'AdminHost' });
export type AdminHost = z.infer<typeof AdminHost>;

/** `max_sessions` null: the default of the agents. */
export const ChangeHostRequest = z
  .strictObject({ max_sessions: z.int().min(0).max(10_000).nullable() })
  .meta({ id: 'ChangeHostRequest' });

export const AdminAgent = z
  .object({
    id: z.string(),
    /** `missing`: silent, and nobody has taken over its work; `recovered`: another agent has. */
    state: z.enum(['live', 'missing', 'recovered']),
    models: z.array(z.string()),
    /** Tasks that it works on at this moment. */
    tasks: Count,
    started_at: Timestamp,
    seen_at: Timestamp.nullable(),
  })
  .meta({ id: 'AdminAgent' });
export type AdminAgent = z.infer<typeof AdminAgent>;

/** A task without its title, which is made of the prompt. */
export const AdminTask = z
  .object({
    id: Uuid7,
    session_id: Uuid7,
    /** Who asked for it. */
    user_id: Uuid7,
    username: z.string(),
    status: TaskState,
    /** Null if it is over, if it is worked on, or if a program does it. */
    waits_for: WaitCause.nullable(),
    waiting_since: Timestamp.nullable(),
    is_program: z.boolean(),
    agent_id: z.string().nullable(),
    current_step: Count,
    total_steps: Count.nullable(),
    created_at: Timestamp,
    finished_at: Timestamp.nullable(),
  })
  .meta({ id: 'AdminTask' });
export type AdminTask = z.infer<typeof AdminTask>;

export const AdminTasksQuery = Page.extend({
  status: TaskState.optional(),
  user: WhichUser.optional(),
  waits_for: WaitCause.optional(),
  /** Only tasks that were created at least as long ago. */
  older_than_secs: queryInt(0, secsOfYear, 0),
});

export const AuditEntry = z
  .object({
    id: Uuid7,
    recorded_at: Timestamp,
    event: z.string(),
    outcome: z.string(),
    /** To whom it was done, and who did it if that is another user. */
    user_id: Uuid7.nullable(),
    username: z.string().nullable(),
    actor_id: Uuid7.nullable(),
    actor: z.string().nullable(),
    address: z.string().nullable(),
    data: JsonObject,
  })
  .meta({ id: 'AuditEntry' });
export type AuditEntry = z.infer<typeof AuditEntry>;

const auditFilters = {
  /** To whom it was done, or who did it. */
  user: WhichUser.optional(),
  event: text(100, 1).optional(),
  from: TimeParam.optional(),
  /** Not this moment itself. */
  until: TimeParam.optional(),
};
export const AuditQuery = Page.extend(auditFilters);
export const AuditExportQuery = z.object({ ...auditFilters, format: z.enum(['ndjson', 'csv']).default('ndjson') });
