// Begins a task: its rows and its files commit together, and the row is due, so a returned id always names real work.

import { createHash } from 'node:crypto';
import { AppError, type ChatReply, type ChatRequest } from '@pilothouse/contract';
import { span, traceparent } from '@pilothouse/process';
import {
  type Append,
  type Caller,
  type EarlierRequest,
  newId,
  progressOf,
  type Store,
  sessionStateOf,
  type TaskRow,
  type Tx,
} from '@pilothouse/store';
import type { Quotas } from '../sessions/quotas.ts';
import { byteLensOf, withFiles } from './given-files.ts';

type Options = { store: Store; quotas: Quotas };
type NewTask = Omit<Parameters<Store['tasks']['create']>[2], 'id' | 'sessionId'>;
export type TaskRequest = {
  sessionId: string;
  task: NewTask;
  /** Refuses early what `enter` would refuse, before files are stored. */
  mayEnter?(): Promise<void>;
  /** Makes or finds the session, and checks the quotas; or refuses. */
  enter(tx: Tx): Promise<void>;
  /** Files that the task may upload. */
  files?: ChatRequest['files'];
  /** The idempotency key, and the whole request that it stands for. */
  key: string | undefined;
  request: object;
};

export function createBeginTask({ store, quotas }: Options) {
  /** Answers a repeated request with the task that the first one began, as it is now. */
  async function replyAgain({ isSame, taskId }: EarlierRequest): Promise<ChatReply> {
    if (!isSame) throw new AppError('conflict', { detail: 'This Idempotency-Key was used for another request.' });
    const task = await store.tasks.byId(taskId);
    if (!task) throw new Error(`an idempotency key names the task ${taskId}, which is not there`);
    return replyOf(task);
  }

  async function create(tx: Tx, append: Append, caller: Caller, task: NewTask & { id: string; sessionId: string }) {
    const created = await store.tasks.create(tx, caller, { ...task, traceparent: traceparent() });
    await append({ taskId: created.id, kind: 'status', data: { status: progressOf(created) } });
    const session = await store.sessions.move(tx, task.sessionId, 'work');
    if (session) await append({ kind: 'status', data: { session: sessionStateOf(session) } });
    return created;
  }

  return async function beginTask(caller: Caller, taskRequest: TaskRequest): Promise<ChatReply> {
    const { sessionId, task, mayEnter, enter, files = [], key, request } = taskRequest;
    const keyed = key === undefined ? undefined : { userId: caller.id, key, requestHash: hashOf(request) };
    const before = keyed && (await store.idempotency.known(keyed));
    if (before) return replyAgain(before);
    const id = newId();
    // So that a caller cannot fill the disk through a session of another user, or beyond the quota.
    if (files.length > 0) {
      await mayEnter?.();
      await quotas.requireFileRoom(caller, byteLensOf(files));
    }
    const begun = await withFiles(store, sessionId, files, async (given) => {
      const value = await span('task.begin', { task_id: id, session_id: sessionId }, () =>
        store.change(sessionId, async (tx, append) => {
          const known = keyed && (await store.idempotency.take(tx, keyed, id));
          if (known) return known;
          // The task of a model has no steps yet.
          if (task.totalSteps === null) await quotas.requireModelBudget(tx, caller);
          await enter(tx);
          const created = await create(tx, append, caller, { ...task, id, sessionId });
          for (const file of given) await quotas.addFile(tx, { ...file, task_id: id });
          return created;
        }),
      );
      return { value, isKept: !('isSame' in value) };
    });
    if ('isSame' in begun) return replyAgain(begun);
    return replyOf(begun);
  };
}
export type BeginTask = ReturnType<typeof createBeginTask>;

const replyOf = ({ id, session_id, status }: TaskRow): ChatReply => ({
  success: true,
  session_id,
  task_id: id,
  status,
  stream_path: `/api/tasks/${id}/events`,
  live_path: `/api/sessions/${session_id}/live`,
});

/** The same for the same request, whatever the order of its fields. */
const hashOf = (request: object): Buffer => createHash('sha256').update(JSON.stringify(request, sortKeys)).digest();

const sortKeys = (_key: string, value: unknown) =>
  value !== null && typeof value === 'object' && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)))
    : value;
