// A takeover ends: the person hands back, its lease expires, or its task or session has ended. Call each inside
// `store.change`, with its `append`.

import { type TaskMove, taskMoves } from '@pilothouse/contract';
import { now } from '../db/clock.ts';
import type { Tx } from '../db/db.ts';
import type { createPlacement, DriverChange } from '../fleet/placement.ts';
import type { Append } from '../sessions/change.ts';
import { type Outcome, type TakeoverRow, type TakeoverRows, takeoverOf } from '../takeovers/takeovers.ts';
import { answerByDriving } from '../tasks/questions.ts';
import { clocksOf } from '../tasks/task-clock.ts';
import type { TaskMessages } from '../tasks/task-messages.ts';
import { wakeTaskOf } from '../tasks/task-queue.ts';
import type { createTasks, TaskRow } from '../tasks/tasks.ts';
import type { TakeoverEvents } from './takeover-events.ts';
import type { TellConversation } from './task-conversation.ts';

type Options = {
  takeovers: TakeoverRows;
  tasks: Pick<ReturnType<typeof createTasks>, 'openInSession'>;
  browsers: Pick<ReturnType<typeof createPlacement>, 'fence'>;
  events: TakeoverEvents;
  taskMessages: Pick<TaskMessages, 'add'>;
  tellConversation: TellConversation;
};
/** The host is to be told of the new epoch after the commit. */
export type ReturnedTakeover = { takeover: TakeoverRow; task: TaskRow | undefined; fence: DriverChange | undefined };
/** What the person left: the page, and the names of the fields they wrote into; never the text. */
type PageAfter = { url: string | null; written: string[] };

export function createTakeoverReturns(options: Options) {
  const { takeovers, tasks, browsers, events, taskMessages, tellConversation } = options;

  /** Logs what has changed on the page, for the agent that decides the next step. */
  async function describe(append: Append, ended: TakeoverRow, left: PageAfter): Promise<void> {
    const urlAfter = left.url && withoutQuery(left.url);
    const { url } = takeoverOf(ended).route;
    const before = url && withoutQuery(url);
    const moved =
      before === urlAfter
        ? 'The page is the same'
        : `The page was ${before ?? 'none'}, and is now ${urlAfter ?? 'unknown'}`;
    const wrote =
      left.written.length === 0 ? '' : ` Fields changed: ${left.written.map((name) => `"${name}"`).join(', ')}.`;
    const about = { note: ended.note, outcome: ended.outcome, fields_written: left.written };
    const data = { url_before: before, url_after: urlAfter, ...about };
    await events.log(append, ended, `The takeover has ended. ${moved}.${wrote}${noteOf(ended)}`, data);
  }

  /** The note is a message to the task: it is kept, and shown in the conversation. */
  async function addNote(tx: Tx, append: Append, task: TaskRow, note: { authorId: string; text: string }) {
    await taskMessages.add(tx, { taskId: task.id, ...note });
    await tellConversation(tx, append, task);
  }

  return {
    /** Undefined if the takeover is no longer requested or active. */
    async giveBack(
      tx: Tx,
      append: Append,
      row: TakeoverRow,
      { outcome, note = null }: { outcome: Outcome; note?: string | null },
    ): Promise<ReturnedTakeover | undefined> {
      const hasDriven = row.status === 'active' && outcome === 'resumed';
      const task = row.task_id ? await handBackTask(tx, row.task_id, hasDriven ? row.holder_id : null) : undefined;
      // The agent that goes on with the task looks at the page first, and logs what has changed.
      const to = row.status === 'active' && task?.status === 'running' ? 'resuming' : 'ended';
      const returned = await takeovers.handBack(tx, row, { to, outcome, note });
      if (!returned) return undefined;
      if (task) await events.taskChanged(append, task);
      if (task && note !== null) await addNote(tx, append, task, { authorId: row.holder_id, text: note });
      await wakeTaskOf(tx, row.session_id);
      const isAtWork = (await tasks.openInSession(tx, row.session_id)) > 0;
      await events.moveSession(tx, append, row.session_id, isAtWork ? 'handBackToWork' : 'handBackToRest');
      await events.takeoverChanged(append, returned);
      const message =
        outcome === 'expired'
          ? 'The takeover was not used, and has expired.'
          : `The person has handed back control.${to === 'ended' ? noteOf(returned) : ''}`;
      await events.log(append, returned, message);
      // Input of the person that arrives later is refused.
      const fence = row.status === 'active' || task ? await browsers.fence(tx, row.session_id) : undefined;
      return { takeover: returned, task, fence };
    },

    /** The agent that goes on has looked at the page. */
    async end(tx: Tx, append: Append, row: TakeoverRow, left: PageAfter): Promise<void> {
      const urlAfter = left.url && withoutQuery(left.url);
      const ended = await takeovers.end(tx, row.id, urlAfter);
      if (!ended) return;
      await events.takeoverChanged(append, ended);
      await describe(append, ended, left);
    },

    /** For a takeover that ended at once, because its task asks a question: no agent goes on and looks at the page. */
    describe,

    /** Its task or session has ended. */
    async endAll(tx: Tx, append: Append, which: { taskId: string } | { sessionId: string }): Promise<void> {
      const row = await takeovers.endAll(tx, which);
      if (!row) return;
      // The host must not take the next driver under the present epoch for the person.
      await browsers.fence(tx, row.session_id);
      await events.takeoverChanged(append, row);
      await events.moveSession(tx, append, row.session_id, 'handBackToWork');
    },
  };
}

/** The task goes on where it was: at work, or waiting for the answer to its question. */
async function handBackTask(tx: Tx, id: string, drivenBy: string | null): Promise<TaskRow | undefined> {
  const move = (name: TaskMove, isAsking: boolean) =>
    tx.db
      .updateTable('tasks')
      .set({ status: taskMoves[name].to, updated_at: now, ...clocksOf(taskMoves[name].to) })
      .where('id', '=', id)
      .where('status', 'in', [...taskMoves[name].from])
      .where('question', isAsking ? 'is not' : 'is', null)
      .returningAll()
      .executeTakeFirst();
  const answered = drivenBy ? await answerByDriving(tx, id, drivenBy) : undefined;
  return answered ?? (await move('handBack', false)) ?? (await move('handBackAsking', true));
}

const noteOf = ({ note }: TakeoverRow) => (note === null ? '' : ` Note: ${note}`);

/** Query and fragment may hold what a form sent. */
function withoutQuery(url: string): string {
  return url.split(/[?#]/, 1)[0] ?? url;
}
