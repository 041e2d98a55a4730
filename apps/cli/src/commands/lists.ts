// sessions, tasks, inbox.

import { clockTime, table } from '../output/words.ts';
import { connectionOf, number, type Run, show, text } from './context.ts';

const usual = 20;

export const sessions: Run = async (context) => {
  const { client } = connectionOf(context);
  const status = text(context.values, 'status') as 'idle' | undefined;
  const { sessions: list } = await client.listSessions({ limit: number(context.values, 'limit') ?? usual, status });
  show(context, list, () =>
    rows(
      context,
      ['SESSION', 'STATUS', 'BROWSER', 'UPDATED', 'TITLE'],
      list.map((one) => [one.id, one.status, one.browser, clockTime(one.updated_at), one.title ?? '']),
      'There are no sessions.',
    ),
  );
  return 'done';
};

export const tasks: Run = async (context) => {
  const { client } = connectionOf(context);
  // Checked against the choices of the table.
  const status = text(context.values, 'status') as 'running' | undefined;
  const session_id = text(context.values, 'session');
  const limit = number(context.values, 'limit') ?? usual;
  const { tasks: list } = await client.listTasks({ limit, status, session_id });
  show(context, list, () =>
    rows(
      context,
      ['TASK', 'STATUS', 'STEP', 'CREATED', 'TITLE'],
      list.map((one) => [one.id, one.status, String(one.current_step), clockTime(one.created_at), one.title]),
      'There are no tasks.',
    ),
  );
  return 'done';
};

export const inbox: Run = async (context) => {
  const { client } = connectionOf(context);
  const { items } = await client.listInbox();
  show(context, items, () =>
    rows(
      context,
      ['TASK', 'WAITS FOR', 'SINCE', 'QUESTION'],
      items.map((one) => [
        one.task_id,
        one.question?.kind ?? 'drive',
        clockTime(one.waiting_since),
        one.question?.text ?? `${one.takeover?.held_by_name ?? 'A person'} drives`,
      ]),
      'Nothing waits for you.',
    ),
  );
  return 'done';
};

type Shown = Parameters<Run>[0];
/** Cut to the width of a terminal; whole in a file. */
function rows({ terminal }: Shown, head: string[], list: string[][], none: string): string[] {
  if (list.length === 0) return [none];
  const [first = '', ...others] = table(
    head,
    list,
    terminal.isTerminal ? terminal.columns() : Number.POSITIVE_INFINITY,
  );
  return [terminal.paint('dim', first), ...others];
}
