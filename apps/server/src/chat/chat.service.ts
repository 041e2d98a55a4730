import { createHash } from 'node:crypto';
import { AppError, type ChatReply, type ChatRequest, isId, Plan, type PlanReply } from '@pilothouse/contract';
import {
  type Append,
  type Caller,
  type Known,
  newId,
  progressOf,
  type Store,
  sessionStateOf,
  type TaskRow,
  type Tx,
  type Work,
} from '@pilothouse/store';
import type { OpenSession } from '../sessions/open-session.ts';
import type { Quotas } from '../sessions/quotas.ts';
import { withFiles } from './given-files.ts';
import { decidePlan, type Planners } from './plan.ts';

const maxWaitingInSession = 20;
const titleLength = 80;

type Parts = {
  store: Store;
  work: Work;
  quotas: Quotas;
  openSession: OpenSession;
  planners: Planners;
  /** Told once new work is committed. */
  onQueued: () => void;
};
type Task = Omit<Parameters<Store['tasks']['create']>[2], 'id' | 'sessionId'>;
type Beginning = {
  sessionId: string;
  task: Task;
  /** Refuses early what `enter` would refuse anyway, before files are put down. */
  mayEnter?(): Promise<void>;
  /** Makes the session or finds it, or refuses; the quotas are asked here. */
  enter(tx: Tx): Promise<void>;
  /** What it may send. */
  files?: ChatRequest['files'];
  /** What the caller calls this request, and all that it asked for. */
  key: string | undefined;
  request: object;
};

export function createChatService({ store, work, quotas, openSession, planners, onQueued }: Parts) {
  // The rows and the hand-over commit together, so an id we return always names real work.
  async function begin(
    caller: Caller,
    { sessionId, task, mayEnter, enter, files = [], key, request }: Beginning,
  ): Promise<ChatReply> {
    const asked = key === undefined ? undefined : { userId: caller.id, key, requestHash: hashOf(request) };
    const before = asked && (await store.idempotency.known(asked));
    if (before) return again(before);
    const id = newId();
    // Nobody fills the disk through a session that is not theirs.
    if (files.length > 0) await mayEnter?.();
    const begun = await withFiles(store, sessionId, files, async (given) => {
      const value = await store.change(sessionId, async (tx, append) => {
        const known = asked && (await store.idempotency.take(tx, asked, id));
        if (known) return known;
        await enter(tx);
        const created = await create(tx, append, caller, { ...task, id, sessionId });
        for (const file of given) await store.files.add(tx, { ...file, task_id: id });
        return created;
      });
      return { value, isKept: !('isSame' in value) };
    });
    if ('isSame' in begun) return again(begun);
    onQueued();
    return replyOf(begun);
  }

  /** The task that was begun the first time, as it is now. */
  async function again({ isSame, taskId }: Known): Promise<ChatReply> {
    if (!isSame) throw new AppError('conflict', { detail: 'This Idempotency-Key was used for another request.' });
    const task = await store.tasks.byId(taskId);
    if (!task) throw new Error(`an idempotency key names the task ${taskId}, which is not there`);
    return replyOf(task);
  }

  async function create(tx: Tx, append: Append, caller: Caller, task: Task & { id: string; sessionId: string }) {
    const created = await store.tasks.create(tx, caller, task);
    await append({ taskId: created.id, kind: 'status', data: { status: progressOf(created) } });
    const session = await store.sessions.move(tx, task.sessionId, 'work');
    if (session) await append({ kind: 'status', data: { session: sessionStateOf(session) } });
    await work.start(tx, created);
    return created;
  }

  /** Asked while the row of the session is locked: nobody can close it or fill it in between. */
  async function requireRoom(tx: Tx, caller: Caller, session: { id: string; status: string } | undefined) {
    if (!session) throw new AppError('not_found');
    if (session.status === 'closed') throw new AppError('conflict', { detail: 'This session is closed.' });
    if ((await store.tasks.waitingInSession(tx, session.id)) >= maxWaitingInSession) {
      throw new AppError('conflict', { detail: `In this session ${maxWaitingInSession} tasks wait already.` });
    }
    await quotas.require(tx, caller, { tasks: 1 });
  }

  async function enterSession(tx: Tx, caller: Caller, { profile_id, profile_label }: ChatRequest, id: string) {
    const session = await store.sessions.drivenBy(tx, caller, id);
    await requireRoom(tx, caller, session);
    // A browser has the profile it began with.
    const isOther =
      (profile_id ?? session?.profile_id) !== session?.profile_id ||
      (profile_label ?? session?.profile_label) !== session?.profile_label;
    if (isOther) throw new AppError('conflict', { detail: 'This session began with another profile.' });
  }

  return {
    /** What would be done, without doing it. */
    plan(body: ChatRequest): PlanReply {
      const { steps, isOpen } = decidePlan(body, planners);
      if (isOpen) throw new AppError('validation_failed', { detail: 'A model plans while it works, not before.' });
      return { success: true, plan: { steps } };
    },

    async start(caller: Caller, body: ChatRequest, key?: string): Promise<ChatReply> {
      const { steps, isOpen } = decidePlan(body, planners);
      const { session_id, profile_id, profile_label, prompt } = body;
      const sessionId = session_id ?? newId();
      if (!isId(sessionId)) throw new AppError('not_found');
      // A script has many lines, and a title has one.
      const title = prompt.trim().replaceAll(/\s+/g, ' ').slice(0, titleLength).toWellFormed();
      return begin(caller, {
        sessionId,
        key,
        files: body.files,
        request: { chat: body },
        mayEnter: async () => {
          const mine = (tx: Tx) => store.sessions.drivenBy(tx, caller, sessionId);
          if (session_id !== undefined && !(await store.transaction(mine))) throw new AppError('not_found');
        },
        enter: async (tx) => {
          if (session_id !== undefined) return enterSession(tx, caller, body, sessionId);
          await openSession(tx, caller, { id: sessionId, title, profile_id, profile_label, tasks: 1 });
        },
        task: {
          title,
          prompt,
          plan: { steps },
          settings: settingsOf(body),
          totalSteps: isOpen ? null : steps.length,
        },
      });
    },

    /** The same once more, behind whatever waits in the session. */
    async rerun(caller: Caller, id: string, key?: string): Promise<ChatReply> {
      const former = isId(id) ? await store.tasks.drivenBy(caller, id) : undefined;
      if (!former) throw new AppError('not_found');
      const { session_id, title, prompt } = former;
      const { steps } = Plan.parse(former.plan);
      return begin(caller, {
        sessionId: session_id,
        key,
        request: { rerun: id },
        enter: async (tx) => requireRoom(tx, caller, await store.sessions.locked(tx, session_id)),
        task: {
          title,
          prompt,
          plan: { steps },
          // Written by a chat, as an object.
          settings: former.settings as object,
          totalSteps: steps.length > 0 ? steps.length : null,
          rerunOf: former.id,
        },
      });
    },
  };
}
export type ChatService = ReturnType<typeof createChatService>;

const replyOf = ({ id, session_id, status }: TaskRow): ChatReply => ({
  success: true,
  session_id,
  task_id: id,
  status,
  stream_path: `/api/tasks/${id}/events`,
  live_path: `/api/sessions/${session_id}/live`,
});

/** Of what was asked, whatever the order it was written in. */
const hashOf = (request: object): Buffer => createHash('sha256').update(JSON.stringify(request, inOrder)).digest();

const inOrder = (_key: string, value: unknown) =>
  value !== null && typeof value === 'object' && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)))
    : value;

const settingsOf = (body: ChatRequest) => ({
  planner: body.planner,
  model: body.model ?? null,
  current_url: body.current_url ?? null,
  constraints: body.constraints,
  allowed_domains: body.allowed_domains ?? null,
  output_schema: body.output_schema ?? null,
  max_steps: body.max_steps,
  time_limit_secs: body.time_limit_secs,
  profile_id: body.profile_id ?? null,
  profile_label: body.profile_label ?? null,
});
