// Takeovers of a task: requested, so that the agent finishes its step first, or at once.

import {
  AppError,
  type BodyOf,
  type GrantedTakeover,
  isId,
  isTerminal,
  type ReplyOf,
  type routes,
} from '@pilothouse/contract';
import type { Caller, Store, TaskRow, Tx } from '@pilothouse/store';
import type { From } from '../http/call.ts';
import type { Takeovers } from './takeover.ts';

type Routes = typeof routes;
type Options = { store: Store; takeovers: Takeovers };
type Interruption = { reason?: string; clientId?: string };

export function createTaskTakeovers({ store, takeovers }: Options) {
  async function require(caller: Caller, id: string): Promise<TaskRow> {
    const task = isId(id) ? await store.tasks.drivenBy(caller, id) : undefined;
    if (!task) throw new AppError('not_found');
    return task;
  }

  /** A task that has ended has nothing to drive, and one that waits for its turn has no browser yet. */
  async function check(tx: Tx, { id, session_id }: TaskRow): Promise<void> {
    const task = await store.tasks.locked(tx, id);
    if (!task || isTerminal(task.status)) throw new AppError('conflict', { detail: 'This task has ended already.' });
    // A program is fenced by a takeover of its session, which no task of an agent may be open in.
    if (task.program_id && (await store.tasks.openInSession(tx, session_id)) > 0)
      throw new AppError('conflict', { detail: 'Another task is open in this session: take over that task.' });
    if (task.status === 'pending' && (await store.tasks.begunInSession(tx, session_id)) > 0)
      throw new AppError('conflict', { detail: 'This task waits for its turn.' });
  }

  return {
    /** The agent finishes its step and then stops. A task that waits for a person is stopped already. */
    async request(
      caller: Caller,
      id: string,
      body: BodyOf<Routes['requestTakeover']>,
      from: From,
    ): Promise<ReplyOf<Routes['requestTakeover']>> {
      const task = await require(caller, id);
      const { requested_by: requestedBy, reason, expires_in_secs: leaseSecs, client_id: clientId } = body;
      const taskId = task.program_id ? null : id;
      const about = { sessionId: task.session_id, taskId, requestedBy, reason, leaseSecs, clientId };
      const request = { ...about, stops: ['awaiting_user' as const], check: (tx: Tx) => check(tx, task) };
      return { success: true, takeover: await takeovers.request(caller, request, from) };
    },

    /** The step under way is given up. A takeover that the caller has requested becomes this one. */
    interrupt(caller: Caller, task: TaskRow, { reason, clientId }: Interruption, from: From): Promise<GrantedTakeover> {
      const stops = ['running' as const, 'awaiting_user' as const];
      const taskId = task.program_id ? null : task.id;
      const about = { sessionId: task.session_id, taskId, reason, clientId, stops, isNow: true };
      return takeovers.request(caller, { ...about, check: (tx) => check(tx, task) }, from);
    },

    async resume(
      caller: Caller,
      id: string,
      body: BodyOf<Routes['resumeTakeover']>,
      from: From,
    ): Promise<ReplyOf<Routes['resumeTakeover']>> {
      const { session_id: sessionId, program_id } = await require(caller, id);
      const which = { sessionId, ...(!program_id && { taskId: id }) };
      return { success: true, takeover: await takeovers.giveBack(caller, which, body, from) };
    },
  };
}
export type TaskTakeovers = ReturnType<typeof createTaskTakeovers>;
