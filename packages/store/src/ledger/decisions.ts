// What a model decided for a task. A decision and its steps are written in one statement, and its steps run only while it is
// open.

import type { Step } from '@pilothouse/contract';
import type { Selectable } from 'kysely';
import { decodeSeq, toSeqPage } from '../db/cursors.ts';
import type { Database, Tx } from '../db/db.ts';
import type { Decisions as DecisionTable, Tasks } from '../db/generated.ts';
import { createDecisionViews } from './decision-views.ts';
import type { ModelCallRow } from './model-calls.ts';

/** Without the text and the picture of the page, which are large and seldom needed. */
export type DecisionRow = Omit<Selectable<DecisionTable>, 'view' | 'picture_key' | 'picture_type'>;
/** What a model says of its work. */
export type DecisionWords = Pick<DecisionRow, 'goal' | 'evaluation' | 'thinking'>;
type TaskRow = Selectable<Tasks>;
type Held = { taskId: string; executionId: string };
/** The newest decision, and what happened since that the model does not know. */
export type NewestDecision = DecisionRow & { has_new_messages: boolean; was_driven: boolean };
export type ListedDecision = DecisionRow & { seq: number; call: ModelCallRow; call_ms: number };
export type NewDecision = {
  callNumber: number;
  goal: string | null;
  evaluation: string | null;
  thinking: string | null;
  actions: object;
  steps: readonly Step[];
  url: string | null;
  viewHash: string | null;
  /** What the model read of the page. */
  view: string | null;
  /** The stored picture that it was sent with the page. */
  picture?: { blobKey: string; contentType: string };
  readMessages: number;
};

const columnNames = [
  'task_id',
  'number',
  'call_number',
  'first_step',
  'last_step',
  'goal',
  'evaluation',
  'thinking',
  'actions',
  'url',
  'read_messages',
  'view_hash',
  'status',
  'cut_reason',
  'decided_at',
] as const satisfies readonly (keyof DecisionRow)[];
const columns = columnNames.map((name) => `d.${name}`).join(', ');

// A decision is progress: the next execution starts to count its fruitless attempts again.
const addText = `with held as (
  update tasks set plan = jsonb_set(plan, '{steps}', (plan -> 'steps') || $3::jsonb), fruitless = 0,
    updated_at = date_trunc('milliseconds', clock_timestamp())
  where id = $1 and execution_id = $2 and status = 'running' returning id, jsonb_array_length(plan -> 'steps') as steps
)
insert into decisions (task_id, number, call_number, first_step, last_step, goal, evaluation, thinking, actions, url,
  view_hash, read_messages, view, picture_key, picture_type, status)
select id, (select coalesce(max(number), 0) + 1 from decisions where task_id = $1), $4,
  steps - jsonb_array_length($3::jsonb) + 1, steps, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14,
  case when jsonb_array_length($3::jsonb) = 0 then 'done' else 'open' end
from held returning ${columnNames.join(', ')}`;

// Steps that were not begun leave the plan; the decision keeps them in its actions.
const cutText = `with cut as (
  update decisions d set status = 'cut', cut_reason = $4,
    last_step = greatest(d.first_step - 1, (select coalesce(max(index), 0) from steps where task_id = $1))
  from tasks t
  where d.task_id = $1 and d.number = $3 and d.status = 'open' and t.id = d.task_id and t.execution_id = $2
    and t.status = 'running'
  returning d.task_id, d.last_step
)
update tasks set updated_at = date_trunc('milliseconds', clock_timestamp()),
  plan = jsonb_set(plan, '{steps}', (select coalesce(jsonb_agg(step order by place), '[]'::jsonb)
    from jsonb_array_elements(plan -> 'steps') with ordinality as s(step, place) where place <= cut.last_step))
from cut where tasks.id = cut.task_id returning tasks.*`;

const reviseText = `update decisions d set actions = $4 from tasks t
  where d.task_id = $1 and d.number = $3 and t.id = d.task_id and t.execution_id = $2 and t.status = 'running'
    and d.number = (select max(number) from decisions where task_id = $1)`;

const hasNews = `exists (select from task_messages m where m.task_id = d.task_id and m.number > d.read_messages)
    as has_new_messages,
  exists (select from takeovers k where k.task_id = d.task_id and k.activated_at > d.decided_at) as was_driven`;

export function createDecisions({ pool }: Database) {
  return {
    ...createDecisionViews({ pool }),

    /** Undefined if this execution no longer holds the task. */
    async add({ client }: Tx, { taskId, executionId }: Held, decision: NewDecision): Promise<DecisionRow | undefined> {
      const { callNumber, goal, evaluation, thinking, actions, steps, url, viewHash, readMessages, view, picture } =
        decision;
      const told = [goal, evaluation, thinking, JSON.stringify(actions), url, viewHash, readMessages, view];
      const pictured = [picture?.blobKey ?? null, picture?.contentType ?? null];
      const values = [taskId, executionId, JSON.stringify(steps), callNumber, ...told, ...pictured];
      return (await client.query<DecisionRow>({ name: 'decisions.add', text: addText, values })).rows[0];
    },

    /** Ends an open decision before all its steps are done; undefined if it has ended, or the task is not held. */
    async cut({ client }: Tx, held: Held & { number: number }, reason: string): Promise<TaskRow | undefined> {
      const values = [held.taskId, held.executionId, held.number, reason];
      return (await client.query<TaskRow>({ name: 'decisions.cut', text: cutText, values })).rows[0];
    },

    /** All its steps are done. Part of the transaction that ends the last of them, which holds the task. */
    async close({ client }: Tx, taskId: string, number: number): Promise<void> {
      await client.query({
        name: 'decisions.close',
        text: `update decisions set status = 'done' where task_id = $1 and number = $2 and status = 'open'`,
        values: [taskId, number],
      });
    },

    /** Writes the actions of the newest decision again, with the end of one of them. False if the task is not held. */
    async revise({ client }: Tx, held: Held & { number: number }, actions: object): Promise<boolean> {
      const values = [held.taskId, held.executionId, held.number, JSON.stringify(actions)];
      return (await client.query({ name: 'decisions.revise', text: reviseText, values })).rowCount === 1;
    },

    async newest(taskId: string, tx?: Tx): Promise<NewestDecision | undefined> {
      const { rows } = await (tx?.client ?? pool).query<NewestDecision>({
        name: 'decisions.newest',
        text: `select ${columns}, ${hasNews} from decisions d where d.task_id = $1 order by d.number desc limit 1`,
        values: [taskId],
      });
      return rows[0];
    },

    /** A page of them with their calls, oldest first. */
    async listOf(taskId: string, { limit, cursor }: { limit: number; cursor?: string }) {
      const { rows } = await pool.query<ListedDecision>({
        name: 'decisions.listOf',
        text: `select ${columns}, d.number as seq, to_json(c) as call,
                 coalesce(round(1000 * extract(epoch from c.ended_at - c.begun_at)), 0)::int as call_ms
               from decisions d join model_calls c on c.task_id = d.task_id and c.number = d.call_number
               where d.task_id = $1 and d.number > $2 order by d.number limit $3`,
        values: [taskId, decodeSeq(cursor), limit + 1],
      });
      return toSeqPage(rows, limit);
    },

    /** Oldest first. */
    async of(taskId: string): Promise<DecisionRow[]> {
      const { rows } = await pool.query<DecisionRow>({
        name: 'decisions.of',
        text: `select ${columns} from decisions d where d.task_id = $1 order by d.number`,
        values: [taskId],
      });
      return rows;
    },
  };
}
