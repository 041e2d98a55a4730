// Begins a task from a chat message, or from a task that has run before.

import {
  AppError,
  type ChatReply,
  type ChatRequest,
  isId,
  Plan,
  type PlanReply,
  type Step,
  type Task,
} from '@pilothouse/contract';
import { type Caller, newId, type Store, type TaskRow, type Tx, taskTitleOf } from '@pilothouse/store';
import { requireMode } from '../http/policy-mode.ts';
import type { OpenSession } from '../sessions/open-session.ts';
import type { Quotas } from '../sessions/quotas.ts';
import type { BeginTask } from './begin-task.ts';
import type { DecideChat } from './named-secrets.ts';
import type { PlanDecision } from './plan.ts';
import type { PlanAhead } from './plan-ahead.ts';

const maxWaitingInSession = 20;
const titleLength = 80;

type Options = {
  store: Store;
  quotas: Quotas;
  openSession: OpenSession;
  beginTask: BeginTask;
  decide: DecideChat;
  planAhead: PlanAhead;
};

export function createChatService({ store, quotas, openSession, beginTask, decide, planAhead }: Options) {
  /** Called while the row of the session is locked: no other request can close or fill the session in between. */
  async function requireRoom(tx: Tx, caller: Caller, session: { id: string; status: string } | undefined) {
    if (!session) throw new AppError('not_found');
    if (session.status === 'closed') throw new AppError('conflict', { detail: 'This session is closed.' });
    if ((await store.tasks.waitingInSession(tx, session.id)) >= maxWaitingInSession) {
      throw new AppError('conflict', { detail: `In this session ${maxWaitingInSession} tasks wait already.` });
    }
    await quotas.require(tx, caller, { tasks: 1 });
  }

  async function enterSession(tx: Tx, caller: Caller, chat: ChatRequest, id: string) {
    const session = await store.sessions.drivenBy(tx, caller, id);
    await requireRoom(tx, caller, session);
    if (session) requireFitting(session, chat);
  }

  return {
    /** The steps of a task, or what a model intends, without beginning it. */
    async plan(caller: Caller, body: ChatRequest): Promise<PlanReply> {
      const { steps, isOpen } = await decide(caller, body);
      if (!isOpen) return { success: true, plan: { steps } };
      await store.transaction((tx) => quotas.requireModelBudget(tx, caller));
      return { success: true, plan: { steps, items: await planAhead(body, caller.id) } };
    },

    async start(caller: Caller, body: ChatRequest, key?: string): Promise<ChatReply> {
      requireMode(caller, body.policy);
      const { steps, isOpen } = await decide(caller, body);
      const { session_id, profile_id, profile_label, prompt, record } = body;
      const sessionId = session_id ?? newId();
      if (!isId(sessionId)) throw new AppError('not_found');
      const title = titleFor(steps, prompt);
      return beginTask(caller, {
        sessionId,
        key,
        files: body.files,
        request: { chat: body },
        mayEnter: async () => {
          const own = (tx: Tx) => store.sessions.drivenBy(tx, caller, sessionId);
          if (session_id !== undefined && !(await store.transaction(own))) throw new AppError('not_found');
        },
        enter: async (tx) => {
          if (session_id !== undefined) return enterSession(tx, caller, body, sessionId);
          await openSession(tx, caller, { id: sessionId, title, profile_id, profile_label, record, tasks: 1 });
        },
        task: { title, prompt, plan: { steps }, settings: settingsOf(body), totalSteps: isOpen ? null : steps.length },
      });
    },

    /** Runs the steps of a task again, behind the tasks that wait in its session. */
    async rerun(caller: Caller, id: string, key?: string): Promise<ChatReply> {
      const former = isId(id) ? await store.tasks.drivenBy(caller, id) : undefined;
      if (!former) throw new AppError('not_found');
      if (former.program_id)
        throw new AppError('conflict', { detail: 'What a program did is no script: run the program again.' });
      const { session_id, prompt } = former;
      const { steps, isOpen } = planAgain(former);
      return beginTask(caller, {
        sessionId: session_id,
        key,
        request: { rerun: id },
        enter: async (tx) => requireRoom(tx, caller, await store.sessions.locked(tx, session_id)),
        task: {
          title: titleFor(steps, prompt),
          prompt,
          plan: { steps },
          settings: settingsAgain(caller, former),
          totalSteps: isOpen ? null : steps.length,
          rerunOf: former.id,
        },
      });
    },
  };
}

type EnteredSession = { status: string; profile_id: string | null; profile_label: string | null; recording: boolean };
/** The row of the session is locked, so that no person begins to drive in between. */
function requireFitting(
  session: EnteredSession,
  { profile_id, profile_label, record, while_driven }: ChatRequest,
): void {
  if (while_driven === 'fail' && session.status === 'takeover')
    throw new AppError('takeover_conflict', { detail: 'A person drives this session. Nothing was begun in it.' });
  // A browser keeps the profile it began with.
  const isOther =
    (profile_id ?? session.profile_id) !== session.profile_id ||
    (profile_label ?? session.profile_label) !== session.profile_label;
  if (isOther) throw new AppError('conflict', { detail: 'This session began with another profile.' });
  // Neither may be ignored: a person may count on it that frames are kept, or are not.
  if ((record ?? session.recording) !== session.recording)
    throw new AppError('conflict', { detail: 'Whether a session is recorded is decided when it is created.' });
}

/** The caller must be allowed to choose them. They were written by a chat, as the contract has them. */
function settingsAgain(caller: Caller, { settings: given }: TaskRow): Task['settings'] {
  const settings = given as Task['settings'];
  requireMode(caller, settings.policy);
  return settings;
}

/** What a model decided for one run is no plan for another: that one begins without steps. */
function planAgain({ total_steps, plan }: TaskRow): PlanDecision {
  const isOpen = total_steps === null;
  return { steps: isOpen ? [] : Plan.parse(plan).steps, isOpen };
}

export type ChatService = ReturnType<typeof createChatService>;

/** Lists show the title, also to admins. A script may hold passwords, so only a prompt in free words is its own title. */
function titleFor(steps: Step[], prompt: string): string {
  if (steps.length > 0) return taskTitleOf(steps);
  const words = prompt.trim().replaceAll(/\s+/g, ' ');
  return words.length > titleLength ? `${words.slice(0, titleLength - 1).toWellFormed()}…` : words;
}

const settingsOf = (body: ChatRequest) => ({
  planner: body.planner,
  model: body.model ?? null,
  current_url: body.current_url ?? null,
  constraints: body.constraints,
  allowed_domains: body.allowed_domains ?? null,
  output_schema: body.output_schema ?? null,
  max_steps: body.max_steps,
  time_limit_secs: body.time_limit_secs,
  ...(body.max_tokens !== undefined && { max_tokens: body.max_tokens }),
  ...(body.max_cost !== undefined && { max_cost: body.max_cost }),
  ...(body.judge && { judge: true }),
  ...(body.confirm && { confirm: body.confirm }),
  ...(body.steps_by === 'program' && { steps_by: 'program' as const }),
  ...(body.policy && { policy: body.policy }),
  profile_id: body.profile_id ?? null,
  profile_label: body.profile_label ?? null,
});
