// What a person tells a task: to end, an answer, or that the person acts now.

import { AppError, type BodyOf, isId, type ReplyOf, type routes } from '@pilothouse/contract';
import {
  type Append,
  type Caller,
  type DriverChange,
  type Store,
  sessionStateOf,
  type TaskRow,
  type Tx,
} from '@pilothouse/store';
import type { From } from '../http/call.ts';
import type { TaskTakeovers } from '../takeover/task-takeover.service.ts';
import { createAnswerQuestion } from './answer-question.ts';
import type { TasksService } from './tasks.service.ts';

type Routes = typeof routes;
/** Called once the cancellation is committed, and waited for: the host gives up what it does under an older epoch. */
export type OnCancelled = (fence: DriverChange) => void | Promise<void>;
type Options = {
  store: Store;
  statusOf: TasksService['status'];
  takeovers: TaskTakeovers;
  onCancelled: OnCancelled;
};

export function createTaskCommands({ store, statusOf, takeovers, onCancelled }: Options) {
  const questions = createAnswerQuestion({ store });

  async function require(caller: Caller, id: string): Promise<TaskRow> {
    const task = isId(id) ? await store.tasks.drivenBy(caller, id) : undefined;
    if (!task) throw new AppError('not_found');
    return task;
  }

  /** Sets the session to idle if no other task of it is open. */
  async function rest(tx: Tx, append: Append, sessionId: string): Promise<void> {
    if ((await store.tasks.openInSession(tx, sessionId)) > 0) return;
    const session = await store.sessions.move(tx, sessionId, 'rest');
    if (session) await append({ kind: 'status', data: { session: sessionStateOf(session) } });
  }

  return {
    /**
     * One change of the row ends the task; from then on writes of its agent change nothing, and no agent takes it any more.
     */
    async cancel(
      caller: Caller,
      id: string,
      { reason }: BodyOf<Routes['cancelTask']>,
    ): Promise<ReplyOf<Routes['cancelTask']>> {
      const { session_id } = await require(caller, id);
      const fence = await store.change(session_id, async (tx, append) => {
        const [cancelled] = await store.cancels.cancel(tx, append, { taskId: id }, reason ?? null);
        if (!cancelled) throw new AppError('conflict', { detail: 'This task has ended already.' });
        await rest(tx, append, session_id);
        if (cancelled.program_id) return store.programs.stop(tx, session_id);
        // While a task waits for its turn, another task drives the browser.
        return cancelled.started_at === null ? undefined : store.browsers.fence(tx, session_id);
      });
      if (fence) await onCancelled(fence);
      return statusOf(caller, id);
    },

    /**
     * An answer goes to the question that stands; if the request names one, only to that. So do a changed plan, and a message
     * if a question stands. Otherwise the step under way is given up, and the person takes over.
     */
    async act(
      caller: Caller,
      id: string,
      { answer, message, plan_items: items, asked_at: askedAt, client_id: clientId }: BodyOf<Routes['signalTakeover']>,
      from: From,
    ): Promise<ReplyOf<Routes['signalTakeover']>> {
      const task = await require(caller, id);
      if (items) {
        if (!(await questions.agree(task, { items, askedAt, by: caller.id })))
          throw new AppError('conflict', { detail: 'No plan waits for a yes that this would be.' });
        return { ...(await statusOf(caller, id)), takeover: null };
      }
      const text = answer ?? message;
      const isAnswer = answer !== undefined || askedAt !== undefined;
      const field = answer === undefined ? 'message' : 'answer';
      if (text !== undefined && (await questions.answer(caller, task, { text, askedAt, by: caller.id, field })))
        return { ...(await statusOf(caller, id)), takeover: null };
      if (isAnswer) throw new AppError('conflict', { detail: 'No question stands that this would answer.' });
      const takeover = await takeovers.interrupt(caller, task, { reason: message, clientId }, from);
      return { ...(await statusOf(caller, id)), takeover };
    },
  };
}
export type TaskCommands = ReturnType<typeof createTaskCommands>;
