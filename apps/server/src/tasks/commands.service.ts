import { AppError, type BodyOf, isId, type ReplyOf, type routes } from '@pilothouse/contract';
import {
  type Append,
  type Caller,
  type Fence,
  messageStateOf,
  progressOf,
  type Store,
  sessionStateOf,
  type TaskRow,
  type Tx,
  type Work,
} from '@pilothouse/store';
import type { TasksService } from './tasks.service.ts';

type Routes = typeof routes;
type Parts = {
  store: Store;
  work: Work;
  statusOf: TasksService['status'];
  /** Told once it is committed: the host has to give up what it does under an older epoch. It is waited for. */
  onCancelled: (fence: Fence) => void | Promise<void>;
};

/** What a person tells a task. */
export function createTaskCommands({ store, work, statusOf, onCancelled }: Parts) {
  async function require(caller: Caller, id: string): Promise<TaskRow> {
    const task = isId(id) ? await store.tasks.drivenBy(caller, id) : undefined;
    if (!task) throw new AppError('not_found');
    return task;
  }

  /** The session rests where nothing else waits in it. */
  async function rest(tx: Tx, append: Append, sessionId: string): Promise<void> {
    if ((await store.tasks.openInSession(tx, sessionId)) > 0) return;
    const session = await store.sessions.move(tx, sessionId, 'rest');
    if (session) await append({ kind: 'status', data: { session: sessionStateOf(session) } });
  }

  return {
    /**
     * The row says that it is over, in one move, and from there on the agent that had it writes in vain. Its workflow
     * is woken and ends itself; one that has not begun finds the row when its turn comes, and does nothing.
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
        await work.signal(tx, cancelled);
        await rest(tx, append, session_id);
        // The browser of one that waits for its turn is in the hands of another.
        return cancelled.started_at === null ? undefined : store.browsers.fence(tx, session_id);
      });
      if (fence) await onCancelled(fence);
      return statusOf(caller, id);
    },

    /** Answers the question that stands; only the one that was asked then, where the answer says so. */
    async answer(
      caller: Caller,
      id: string,
      { answer, message, asked_at: askedAt }: BodyOf<Routes['signalTakeover']>,
    ): Promise<ReplyOf<Routes['signalTakeover']>> {
      const { session_id } = await require(caller, id);
      const text = answer ?? message;
      await store.change(session_id, async (tx, append) => {
        const task = text === undefined ? undefined : await store.questions.answer(tx, id, { text, askedAt });
        if (!task) throw new AppError('conflict', { detail: 'No question stands that this would answer.' });
        await append({ taskId: id, kind: 'status', data: { status: progressOf(task) } });
        await append({
          taskId: id,
          kind: 'message_state',
          data: { message_state: messageStateOf(task, await store.steps.of(id, tx)) },
        });
        await work.signal(tx, task);
      });
      return { ...(await statusOf(caller, id)), takeover: null };
    },
  };
}
export type TaskCommands = ReturnType<typeof createTaskCommands>;
