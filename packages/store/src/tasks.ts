import { type TaskMove, type TaskState, taskMoves } from '@pilothouse/contract';
import { type ExpressionBuilder, type Selectable, sql } from 'kysely';
import { clocksOf, workedMs } from './clocks.ts';
import type { Database, Db, Tx } from './db.ts';
import type { DB, Tasks } from './generated.ts';
import { newId } from './ids.ts';
import { type Caller, isBuiltIn } from './users.ts';

export type TaskRow = Selectable<Tasks>;
export type NewTask = {
  id: string;
  sessionId: string;
  title: string;
  prompt: string;
  plan: object;
  settings: object;
  /** Nothing, where the steps are found on the way. */
  totalSteps: number | null;
  rerunOf?: string;
};

const now = sql<Date>`date_trunc('milliseconds', clock_timestamp())`;

export function createTasks({ db, pool }: Database) {
  return {
    async create(tx: Tx, owner: Caller, task: NewTask): Promise<TaskRow> {
      const row = await tx.db
        .insertInto('tasks')
        .values((expression) => ({
          id: task.id,
          session_id: task.sessionId,
          owner_id: expression.selectFrom('sessions').select('owner_id').where('id', '=', task.sessionId),
          created_by: owner.id,
          title: task.title,
          prompt: task.prompt,
          plan: JSON.stringify(task.plan),
          settings: JSON.stringify(task.settings),
          total_steps: task.totalSteps,
          rerun_of: task.rerunOf ?? null,
          first_seq: expression
            .selectFrom('session_seq')
            .select((e) => e('last_seq', '+', 1).as('next'))
            .where('session_id', '=', task.sessionId),
        }))
        .returningAll()
        .executeTakeFirstOrThrow();
      await tx.db
        .updateTable('sessions')
        .set({ last_task_id: row.id, updated_at: now })
        .where('id', '=', row.session_id)
        .execute();
      return row;
    },

    /** Visible to the owner of its session and to the owner of its plan. */
    visibleTo: (caller: Caller, id: string) =>
      db.selectFrom('tasks').selectAll().where('id', '=', id).where(visible(caller)).executeTakeFirst(),

    /** For whoever wants to act on it: an admin may read everybody's, and act only on their own. */
    drivenBy: (caller: Caller, id: string) =>
      db
        .selectFrom('tasks')
        .selectAll()
        .where('id', '=', id)
        .where(visible(isBuiltIn(caller) ? caller : { ...caller, role: 'user' }))
        .executeTakeFirst(),

    /** Read in the transaction that has locked its session. */
    locked: (tx: Tx, id: string) => tx.db.selectFrom('tasks').selectAll().where('id', '=', id).executeTakeFirst(),

    byId: (id: string) => db.selectFrom('tasks').selectAll().where('id', '=', id).executeTakeFirst(),

    /** As whoever works on it needs it: with the time it has used, people's not counted, and whether one stands by. */
    atWork: (id: string) =>
      db
        .selectFrom('tasks')
        .selectAll()
        .select(workedMs.as('worked_ms'))
        .select(hasTakeover.as('has_takeover'))
        .where('id', '=', id)
        .executeTakeFirst(),

    /** Whether this execution may still work on it; with `unlessWanted`, only while nobody wants the wheel. */
    async isHeld(id: string, executionId: string, { unlessWanted = false } = {}): Promise<boolean> {
      const { rows } = await pool.query({
        name: 'tasks.isHeld',
        text: `select from tasks t where t.id = $1 and t.execution_id = $2 and t.status = 'running'
                 and not ($3 and exists (select from takeovers w
                                         where w.session_id = t.session_id and w.status in ('requested', 'active')))`,
        values: [id, executionId, unlessWanted],
      });
      return rows.length > 0;
    },

    /** How many tasks of the session have not ended. */
    async openInSession(tx: Tx, sessionId: string): Promise<number> {
      const { count } = await tx.db
        .selectFrom('tasks')
        .select((expression) => expression.fn.countAll<number>().as('count'))
        .where('session_id', '=', sessionId)
        .where('status', 'in', openStates)
        .executeTakeFirstOrThrow();
      return count;
    },

    /** How many tasks of the session have begun and not ended. */
    async begunInSession(tx: Tx, sessionId: string): Promise<number> {
      const { count } = await tx.db
        .selectFrom('tasks')
        .select((expression) => expression.fn.countAll<number>().as('count'))
        .where('session_id', '=', sessionId)
        .where('status', 'in', ['running', 'awaiting_user', 'takeover'])
        .executeTakeFirstOrThrow();
      return count;
    },

    /** How many tasks of the session wait for their turn. */
    async waitingInSession(tx: Tx, sessionId: string): Promise<number> {
      const { count } = await tx.db
        .selectFrom('tasks')
        .select((expression) => expression.fn.countAll<number>().as('count'))
        .where('session_id', '=', sessionId)
        .where('status', '=', 'pending')
        .executeTakeFirstOrThrow();
      return count;
    },

    /**
     * Takes the task for one agent: from now on only writes that name this execution count. Nothing, where it has ended.
     */
    async beginExecution(tx: Tx, id: string, agentId: string) {
      const executionId = newId();
      const task = await tx.db
        .updateTable('tasks')
        .set({
          execution_id: executionId,
          attempt: sql`attempt + 1`,
          // One that waits for a person makes no progress, and need not.
          fruitless: sql`case when status in ('pending', 'running') then fruitless + 1 else fruitless end`,
          status: sql`case when status = 'pending' then 'running'::task_status else status end`,
          started_at: sql`coalesce(started_at, ${now})`,
          updated_at: now,
        })
        .where('id', '=', id)
        .where('status', 'in', openStates)
        .returningAll()
        .executeTakeFirst();
      if (!task) return undefined;
      await endOpenExecutions(tx.db, id);
      await tx.db
        .insertInto('executions')
        .values({ id: executionId, task_id: id, attempt: task.attempt, agent_id: agentId })
        .execute();
      return { task, executionId };
    },

    /**
     * Moves the task if its state allows it and this execution still holds it; otherwise changes nothing. With
     * `unanswered`, only while the question that was asked then stands, and its time is over.
     */
    async move(
      tx: Tx,
      { id, executionId }: { id: string; executionId: string },
      move: TaskMove,
      change: { result?: object; lastError?: string; unanswered?: string; from?: readonly TaskState[] } = {},
    ): Promise<TaskRow | undefined> {
      const { to } = taskMoves[move];
      const from = change.from ?? taskMoves[move].from;
      const isEnd = !openStates.includes(to);
      const { unanswered } = change;
      const row = await tx.db
        .updateTable('tasks')
        .set({
          status: to,
          updated_at: now,
          ...clocksOf(to),
          ...(isEnd && { finished_at: now, question: null }),
          ...(change.result && { result: JSON.stringify(change.result) }),
          ...(change.lastError !== undefined && { last_error: change.lastError }),
        })
        .where('id', '=', id)
        .where('status', 'in', [...from])
        .where('execution_id', '=', executionId)
        .$if(unanswered !== undefined, (update) =>
          update
            .where('status', '=', 'awaiting_user')
            .where(sql`question->>'asked_at'`, '=', unanswered ?? '')
            .where(sql<boolean>`(question->>'expires_at')::timestamptz < clock_timestamp()`),
        )
        .returningAll()
        .executeTakeFirst();
      if (row && isEnd) {
        const outcome = to as 'success' | 'failed' | 'cancelled';
        await tx.db
          .updateTable('executions')
          .set({ finished_at: now, outcome, reason: change.lastError ?? null })
          .where('id', '=', executionId)
          .execute();
      }
      return row;
    },

    /** Says which step is being done; nothing, where this execution no longer holds the task. */
    setStep: (tx: Tx, { id, executionId }: { id: string; executionId: string }, index: number, title: string) =>
      tx.db
        .updateTable('tasks')
        .set({ current_step: index, current_step_title: title, updated_at: now })
        .where('id', '=', id)
        .where('status', '=', 'running')
        .where('execution_id', '=', executionId)
        .returningAll()
        .executeTakeFirst(),

    /** A step of it is finished: whoever takes it from now on goes on from there. */
    setFruitful: (tx: Tx, id: string) =>
      tx.db.updateTable('tasks').set({ fruitless: 0 }).where('id', '=', id).where('fruitless', '>', 0).execute(),

    /** An agent that was asked to stop gives back what it has: that it did not get further says nothing of the tasks. */
    giveBack: (agentId: string) =>
      db
        .updateTable('tasks')
        .set({ fruitless: sql`greatest(0, fruitless - 1)` })
        .where('execution_id', 'in', (query) =>
          query.selectFrom('executions').select('id').where('agent_id', '=', agentId).where('finished_at', 'is', null),
        )
        .execute(),

    setHost: (tx: Tx, executionId: string, hostId: string) =>
      tx.db.updateTable('executions').set({ host_id: hostId }).where('id', '=', executionId).execute(),
  };
}

/** Those of an agent that is gone: another has the task now. */
const endOpenExecutions = (db: Db, taskId: string) =>
  db
    .updateTable('executions')
    .set({ finished_at: now, outcome: 'interrupted', reason: 'The agent was lost; another went on.' })
    .where('task_id', '=', taskId)
    .where('finished_at', 'is', null)
    .execute();

/** Somebody wants the wheel of its session, has it, or has just given it back. */
const hasTakeover = sql<boolean>`exists (select from takeovers w
                                         where w.session_id = tasks.session_id and w.status <> 'ended')`;

const openStates: TaskState[] = ['pending', 'running', 'awaiting_user', 'takeover'];

const visible = (caller: Caller) => (expression: ExpressionBuilder<DB, 'tasks'>) =>
  caller.role === 'admin'
    ? expression.lit(true)
    : expression.or([expression('owner_id', '=', caller.id), expression('created_by', '=', caller.id)]);
