// Removes typed text from everything that stays of a purged session.

import { randomBytes } from 'node:crypto';
import { type Plan, printScript, type Task, type TaskResult } from '@pilothouse/contract';
import type { Tx } from '../db/db.ts';
import { strikeTyped, strikeTypedIn, typedTextsOf, withoutTypedText } from '../ledger/typed-text.ts';
import type { TaskRow } from '../tasks/tasks.ts';
import { taskTitleOf } from '../views/progress.ts';

/** The title of a task without steps: its former title was the prompt. */
const purgedTitle = 'Purged';

/** Returns the tasks as they are afterwards. */
export async function purgeTypedText(tx: Tx, sessionId: string): Promise<TaskRow[]> {
  const tasks = await tx.db
    .selectFrom('tasks')
    .selectAll()
    .where('session_id', '=', sessionId)
    .orderBy('created_at')
    .execute();
  // Of all tasks together: one task may mention what another typed.
  const typed = typedTextsOf(tasks.flatMap(stepsOf));
  const purged: TaskRow[] = [];
  for (const task of tasks) {
    purged.push(await purgeTask(tx, task, typed));
    await purgeLedger(tx, task.id, typed);
    // What a model said and called tools with may hold every text of the task, also of steps that were never begun.
    await tx.client.query('delete from decisions where task_id = $1', [task.id]);
    await purgeRequest(tx, task.id);
  }
  await purgeTitle(
    tx,
    sessionId,
    typed,
    new Map(tasks.map(({ title }, i) => [title, purged[i]?.title ?? purgedTitle])),
  );
  return purged;
}

// These columns are written by this package, in the shapes of the contract.
const stepsOf = ({ plan }: TaskRow) => (plan as Plan).steps;
const settingsOf = ({ settings }: TaskRow) => settings as Task['settings'];
const resultOf = ({ result }: TaskRow) => result as TaskResult | null;

function purgeTask(tx: Tx, task: TaskRow, typed: string[]): Promise<TaskRow> {
  const steps = withoutTypedText(stepsOf(task), typed);
  const title = steps.length > 0 ? taskTitleOf(steps) : purgedTitle;
  const result = resultOf(task);
  return tx.db
    .updateTable('tasks')
    .set({
      // A script can write a text in many ways, and so can a free prompt: it is printed again from the steps.
      prompt: printScript(steps),
      plan: JSON.stringify({ steps }),
      title,
      settings: JSON.stringify(withoutTypedSettings(settingsOf(task), typed)),
      result: result && JSON.stringify(withoutTypedResult(result, `Done: ${title}`, typed)),
      current_step_title: strikeTyped(task.current_step_title, typed),
      last_error: task.last_error && strikeTyped(task.last_error, typed),
      // A one-time code is an answer too.
      answers: '[]',
      // Its words are those of the prompt.
      plan_items: null,
    })
    .where('id', '=', task.id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

const withoutTypedSettings = (settings: Task['settings'], typed: string[]) => ({
  ...settings,
  current_url: settings.current_url && strikeTyped(settings.current_url, typed),
  constraints: strikeTypedIn(settings.constraints, typed),
  output_schema: strikeTypedIn(settings.output_schema, typed),
});

/** Answers of people are removed too. */
const withoutTypedResult = ({ data, files }: TaskResult, summary: string, typed: string[]) => ({
  summary,
  data: strikeTypedIn(data, typed),
  files: files.map((file) => ({ ...file, name: strikeTyped(file.name, typed) })),
});

/** Errors of attempts, reasons of executions, and names of files. */
async function purgeLedger(tx: Tx, taskId: string, typed: string[]): Promise<void> {
  if (typed.length === 0) return;
  const strikeColumn = async (table: string, column: string, key: string[]) => {
    const { rows } = await tx.client.query(
      `select ${[...key, column].join(', ')} from ${table} where task_id = $1 and ${column} is not null`,
      [taskId],
    );
    for (const row of rows) {
      const struck = strikeTyped(row[column], typed);
      if (struck === row[column]) continue;
      const where = key.map((name, i) => `${name} = $${i + 3}`).join(' and ');
      const values = [taskId, struck, ...key.map((name) => row[name])];
      await tx.client.query(`update ${table} set ${column} = $2 where task_id = $1 and ${where}`, values);
    }
  };
  await strikeColumn('steps', 'error', ['index', 'try']);
  await strikeColumn('executions', 'reason', ['id']);
  await strikeColumn('files', 'name', ['id']);
}

/**
 * From a hash of a request, a short password in it can be found by trying. The key stays taken: a request that is sent
 * again must not start the work again, and is refused.
 */
const purgeRequest = (tx: Tx, taskId: string) =>
  tx.client.query('update idempotency_keys set request_hash = $2 where task_id = $1', [taskId, randomBytes(32)]);

/** The session has the title of its first task, or one that a user has set. */
async function purgeTitle(tx: Tx, sessionId: string, typed: string[], ofTasks: Map<string, string>): Promise<void> {
  const session = await tx.db.selectFrom('sessions').select('title').where('id', '=', sessionId).executeTakeFirst();
  if (!session?.title) return;
  const title = ofTasks.get(session.title) ?? strikeTyped(session.title, typed);
  await tx.db.updateTable('sessions').set({ title }).where('id', '=', sessionId).execute();
}
