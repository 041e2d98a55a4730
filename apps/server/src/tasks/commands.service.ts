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
import type { From } from '../http/serve.ts';
import type { TaskTakeovers } from './takeover.service.ts';
import type { TasksService } from './tasks.service.ts';

type Routes = typeof routes;
type Parts = {
  store: Store;
  work: Work;
  statusOf: TasksService['status'];
  takeovers: TaskTakeovers;
  /** Told once it is committed: the host has to give up what it does under an older epoch. It is waited for. */
  onCancelled: (fence: Fence) => void | Promise<void>;
};

/** What a person tells a task. */
export function createTaskCommands({ store, work, statusOf, takeovers, onCancelled }: Parts) {
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

  async function answerQuestion(
    { id, session_id }: TaskRow,
    said: { text: string; askedAt?: string },
  ): Promise<boolean> {
    return store.change(session_id, async (tx, append) => {
      const task = await store.questions.answer(tx, id, said);
      if (!task) return false;
      await append({ taskId: id, kind: 'status', data: { status: progressOf(task) } });
      const message_state = messageStateOf(task, await store.steps.of(id, tx));
      await append({ taskId: id, kind: 'message_state', data: { message_state } });
      await work.signal(tx, task);
      return true;
    });
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

    /**
     * The person acts now. An answer goes to the question that stands, and only to the one that was asked then, where it
     * says so; so does a message, where one stands. Otherwise what is being done is given up, and the wheel is theirs.
     */
    async act(
      caller: Caller,
      id: string,
      { answer, message, asked_at: askedAt }: BodyOf<Routes['signalTakeover']>,
      from: From,
    ): Promise<ReplyOf<Routes['signalTakeover']>> {
      const task = await require(caller, id);
      const text = answer ?? message;
      const isAnswer = answer !== undefined || askedAt !== undefined;
      if (text !== undefined && (await answerQuestion(task, { text, askedAt })))
        return { ...(await statusOf(caller, id)), takeover: null };
      if (isAnswer) throw new AppError('conflict', { detail: 'No question stands that this would answer.' });
      const takeover = await takeovers.interrupt(caller, task, message, from);
      return { ...(await statusOf(caller, id)), takeover };
    },
  };
}
export type TaskCommands = ReturnType<typeof createTaskCommands>;
