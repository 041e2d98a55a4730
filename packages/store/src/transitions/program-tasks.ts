// What programs do over the DevTools protocol, as lines of a task that no agent runs. Lines are written after the acts were done,
// and only for a program that is connected. Call each change inside `store.change`, with its `append`.

import { maxSteps, type Overlay, type Step, type TaskResult } from '@pilothouse/contract';
import type { Database, Tx } from '../db/db.ts';
import { newId } from '../db/ids.ts';
import type { StepRow } from '../ledger/steps.ts';
import type { Append } from '../sessions/change.ts';
import type { createLogs } from '../sessions/logs.ts';
import type { TaskRow } from '../tasks/tasks.ts';
import { attemptOf, historyOf, progressOf, sessionStateOf, stepIdOf, taskTitleOf, titleOf } from '../views/progress.ts';
import type { TellConversation } from './task-conversation.ts';

/** A connection of a program, and where it drives. `id` is that of the connection. */
export type DrivingProgram = { id: string; sessionId: string; userId: string; hostId: string; epoch: number };
/** One line: an act, or several that are told as one. */
export type ProgramLine = {
  /** Names the line: written again after an answer that was lost, it stands once. */
  id: string;
  step: Step;
  status: 'success' | 'failed' | 'interrupted';
  error: string | null;
  /** How long ago it began, and how long it took. */
  agoMs: number;
  runMs: number;
  bbox: Overlay['bbox'];
  point: Overlay['point'];
};
type End = { status: 'success' } | { status: 'failed'; reason: string };
type Options = { logs: ReturnType<typeof createLogs>; tellConversation: TellConversation };

const prompt = 'A program drives this session over the DevTools protocol.';
const settings = {
  planner: 'script',
  model: null,
  current_url: null,
  constraints: [],
  allowed_domains: null,
  output_schema: null,
  max_steps: maxSteps,
  time_limit_secs: 86_400,
  steps_by: 'program',
};
const silentSecs = 10;
const maxAtOnce = 50;
const nowText = `date_trunc('milliseconds', clock_timestamp())`;

// Only for a program that is connected: a task that a user has cancelled took its connection away.
const beginText = `with begun as (
  insert into tasks (id, session_id, owner_id, created_by, title, prompt, plan, settings, status, execution_id, attempt,
    total_steps, first_seq, started_at, program_id)
  select $2, s.id, s.owner_id, c.user_id, $4, $5, '{"steps": []}', $6, 'running', $3, 1, 0, q.last_seq + 1, ${nowText}, c.id
  from program_connections c join sessions s on s.id = c.session_id join session_seq q on q.session_id = s.id
  where c.id = $1 and s.status <> 'closed'
  returning *
), placed as (
  insert into executions (id, task_id, attempt, agent_id, host_id) select $3, id, 1, program_id, $7 from begun
), newest as (
  update sessions s set last_task_id = begun.id, updated_at = ${nowText} from begun where s.id = begun.session_id
)
select * from begun`;

// The lines join the plan, which has their words, and the ledger, which has their outcomes. No line begins before the one before
// it, whatever the reports took on their way.
const addText = `with held as (
  update tasks set plan = jsonb_set(plan, '{steps}', (plan -> 'steps') || $2::jsonb), current_step_title = $3,
    current_step = current_step + jsonb_array_length($2::jsonb), total_steps = total_steps + jsonb_array_length($2::jsonb),
    updated_at = ${nowText}
  where id = $1 and status = 'running' returning *
), lines as (
  select l.*, greatest((select coalesce(max(s.intent_at), h.started_at) from steps s where s.task_id = h.id),
    max(${nowText} - make_interval(secs => l.ago_ms / 1000.0)) over (order by l.place)) as intent_at
  from held h cross join unnest($4::uuid[], $5::text[], $6::text[], $7::int[], $8::int[])
    with ordinality as l(command_id, status, error, ago_ms, run_ms, place)
)
insert into steps (task_id, index, try, execution_id, command_id, epoch, status, error, intent_at, effect_at, run_ms)
select h.id, h.current_step - jsonb_array_length($2::jsonb) + l.place, 1, h.execution_id, l.command_id, $9,
  l.status::step_status, l.error, l.intent_at, greatest(l.intent_at,
    ${nowText} - make_interval(secs => greatest(0, l.ago_ms - l.run_ms) / 1000.0)), l.run_ms
from held h cross join lines l order by l.place
returning *`;

const endText = `with ended as (
  update tasks set status = $2, finished_at = ${nowText}, updated_at = ${nowText}, result = $3, last_error = $4
  where id = $1 and status = 'running' returning *
), left_by as (
  update executions e set finished_at = ended.finished_at, outcome = $2::text::execution_outcome, reason = $4
  from ended where e.id = ended.execution_id
)
select * from ended`;

export function createProgramTasks({ pool }: Database, options: Options) {
  const end = createEnd(options);
  const tell = createTell(options);

  return {
    /**
     * Adds lines to the open task of the program, or to one that begins with them; a task that is full ends, and the next begins.
     * Returns the task, and the line that came last. Undefined where the program is no longer connected by the rows: it has to
     * leave. At most as many lines as a plan has. Lines that stand there already are not written again.
     */
    async record(tx: Tx, append: Append, program: DrivingProgram, lines: readonly ProgramLine[]) {
      const [first] = lines;
      if (!first) return undefined;
      let open = await openOf(tx, program.id);
      const known = open && (await writtenAs(tx, open.id, lines));
      if (open && known) return { task: open, attempt: known };
      if (open && open.current_step + lines.length > maxSteps) {
        await end(tx, append, open.id, { status: 'success' });
        open = undefined;
      }
      const task = open ?? (await begin(tx, append, program, first.step));
      if (!task) return undefined;
      const rows = await add(tx, task, program, lines);
      const now = await openOf(tx, program.id);
      const last = rows.at(-1);
      if (!now || !last) return undefined;
      await append({ taskId: now.id, kind: 'status', data: { status: progressOf(now) } });
      for (const [place, line] of lines.entries()) {
        const row = rows[place];
        if (row) await tell(append, now, row, line);
      }
      return { task: now, attempt: last };
    },

    /** The program has left. Undefined where it had no open task. */
    async ended(tx: Tx, append: Append, programId: string): Promise<TaskRow | undefined> {
      const open = await openOf(tx, programId);
      return open && end(tx, append, open.id, { status: 'success' });
    },

    /** The server that had the connection is gone: what it was not told is in no line. */
    lost: (tx: Tx, append: Append, taskId: string): Promise<TaskRow | undefined> =>
      end(tx, append, taskId, {
        status: 'failed',
        reason: 'The connection of the program was lost. What it did last may not stand here.',
      }),

    /** Open tasks whose program is not connected any more. */
    async unattended(): Promise<{ id: string; sessionId: string }[]> {
      const { rows } = await pool.query<{ id: string; sessionId: string }>({
        name: 'programTasks.unattended',
        text: `select t.id, t.session_id as "sessionId" from tasks t
               where t.program_id is not null and t.finished_at is null
                 and t.updated_at < clock_timestamp() - interval '${silentSecs} s'
                 and not exists (select from program_connections c
                   where c.id = t.program_id and c.seen_at > clock_timestamp() - interval '${silentSecs} s')
               limit ${maxAtOnce}`,
      });
      return rows;
    },
  };
}

async function begin(
  tx: Tx,
  append: Append,
  { id, hostId }: DrivingProgram,
  first: Step,
): Promise<TaskRow | undefined> {
  const values = [id, newId(), newId(), `Program: ${taskTitleOf([first])}`, prompt, JSON.stringify(settings), hostId];
  const { rows } = await tx.client.query<TaskRow>({ name: 'programTasks.begin', text: beginText, values });
  const [task] = rows;
  if (!task) return undefined;
  await append({ taskId: task.id, kind: 'status', data: { status: progressOf(task) } });
  const session = await tx.db
    .selectFrom('sessions')
    .selectAll()
    .where('id', '=', task.session_id)
    .executeTakeFirstOrThrow();
  await append({ kind: 'status', data: { session: sessionStateOf(session) } });
  return task;
}

/** Ends a task that is open; undefined where it is not. */
function createEnd({ logs, tellConversation }: Options) {
  return async (tx: Tx, append: Append, taskId: string, how: End): Promise<TaskRow | undefined> => {
    const open = await tx.db.selectFrom('tasks').select('current_step').where('id', '=', taskId).executeTakeFirst();
    const summary = `The program has left. Lines: ${open?.current_step ?? 0}.`;
    const result: TaskResult | null = how.status === 'success' ? { summary, data: null, files: [] } : null;
    const reason = how.status === 'failed' ? how.reason : null;
    const values = [taskId, how.status, result && JSON.stringify(result), reason];
    const { rows } = await tx.client.query<TaskRow>({ name: 'programTasks.end', text: endText, values });
    const [task] = rows;
    if (!task) return undefined;
    if (result) await append({ taskId, kind: 'result', data: { result } });
    await logs.append(append, { taskId, level: reason ? 'error' : 'info', message: reason ?? summary });
    await tellConversation(tx, append, task);
    // Last: streams of the task end with this event.
    await append({ taskId, kind: 'status', data: { status: progressOf(task) } });
    return task;
  };
}

/** A line as viewers of the task and of the session are told of it. */
function createTell({ logs }: Pick<Options, 'logs'>) {
  return async (append: Append, task: TaskRow, row: StepRow, line: ProgramLine): Promise<void> => {
    const { step, error } = line;
    const taskId = task.id;
    await append({ taskId, kind: 'step', data: { step: attemptOf(row, step) } });
    await append({ taskId, kind: 'agent_history', data: { agent_history: historyOf(row, step) } });
    const [level, message] =
      error === null
        ? (['info', `Done: ${titleOf(step)}`] as const)
        : (['warn', `${titleOf(step)}: ${error}`] as const);
    await logs.append(append, { taskId, level, message, stepId: stepIdOf(row.index) });
    // What was not done is drawn nowhere.
    if (row.status === 'success')
      await append({ taskId, kind: 'overlay', data: { overlay: overlayOf(task, row, line) } });
  };
}

const openOf = (tx: Tx, programId: string): Promise<TaskRow | undefined> =>
  tx.db
    .selectFrom('tasks')
    .selectAll()
    .where('program_id', '=', programId)
    .where('finished_at', 'is', null)
    .executeTakeFirst();

/** The last of these lines, where they were written before: all of them are written together. */
async function writtenAs({ client }: Tx, taskId: string, lines: readonly ProgramLine[]): Promise<StepRow | undefined> {
  const { rows } = await client.query<StepRow>({
    name: 'programTasks.written',
    text: 'select * from steps where task_id = $1 and command_id = $2',
    values: [taskId, lines.at(-1)?.id],
  });
  return rows[0];
}

async function add(
  { client }: Tx,
  task: TaskRow,
  { epoch }: DrivingProgram,
  lines: readonly ProgramLine[],
): Promise<StepRow[]> {
  const steps = lines.map(({ step }) => step);
  const { rows } = await client.query<StepRow>({
    name: 'programTasks.add',
    text: addText,
    values: [
      task.id,
      JSON.stringify(steps),
      titleOf(lines.at(-1)?.step ?? { action: 'reload' }),
      lines.map(({ id }) => id),
      lines.map(({ status }) => status),
      lines.map(({ error }) => error),
      lines.map(({ agoMs }) => Math.round(agoMs)),
      lines.map(({ runMs }) => Math.round(runMs)),
      epoch,
    ],
  });
  return rows.toSorted((one, other) => one.index - other.index);
}

const kinds = { navigate: 'navigate', click: 'click', double_click: 'click', type: 'type', scroll: 'scroll' } as const;

function overlayOf(
  task: TaskRow,
  row: StepRow,
  { step, bbox, point }: ProgramLine,
): Omit<Overlay, 'seq' | 'recorded_at'> {
  return {
    overlay_id: newId(),
    session_id: task.session_id,
    task_id: task.id,
    step_id: stepIdOf(row.index),
    source: 'execution',
    kind: step.action in kinds ? kinds[step.action as keyof typeof kinds] : bbox ? 'box' : 'note',
    label: titleOf(step),
    bbox,
    point,
    data: {},
  };
}
