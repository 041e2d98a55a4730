import { AppError, type ChatReply, type ChatRequest, isId, type PlanReply } from '@pilothouse/contract';
import { type Caller, newId, progressOf, type Store, sessionStateOf, type Tx, type Work } from '@pilothouse/store';

const defaultViewport = { width: 1280, height: 720 };
const maxOpenInSession = 20;
const titleLength = 80;

export function createChatService({ store, work }: { store: Store; work: Work }) {
  return {
    /** What would be done, without doing it. */
    plan: ({ steps, max_steps }: ChatRequest): PlanReply => ({ success: true, plan: planOf(steps, max_steps) }),

    // The rows and the hand-over commit together, so an id we return always names real work.
    async start(caller: Caller, body: ChatRequest): Promise<ChatReply> {
      const plan = planOf(body.steps, body.max_steps);
      if (body.profile_id) throw new AppError('not_found');
      const sessionId = body.session_id ?? newId();
      if (!isId(sessionId)) throw new AppError('not_found');

      const task = await store.change(sessionId, async (tx, append) => {
        if (body.session_id) await requireOpenSession(tx, caller, sessionId);
        else {
          await store.sessions.create(tx, caller, {
            id: sessionId,
            title: body.prompt.slice(0, titleLength),
            profileLabel: body.profile_label,
            viewport: defaultViewport,
          });
        }
        if ((await store.tasks.openInSession(tx, sessionId)) >= maxOpenInSession) {
          throw new AppError('conflict', { detail: `This session has ${maxOpenInSession} tasks that wait already.` });
        }
        const created = await store.tasks.create(tx, caller, {
          id: newId(),
          sessionId,
          title: body.prompt.slice(0, titleLength),
          prompt: body.prompt,
          plan,
          settings: settingsOf(body),
          totalSteps: plan.steps.length,
        });
        await append({ taskId: created.id, kind: 'status', data: { status: progressOf(created) } });
        const session = await store.sessions.move(tx, sessionId, 'work');
        if (session) await append({ kind: 'status', data: { session: sessionStateOf(session) } });
        await work.start(tx, created);
        return created;
      });
      return {
        success: true,
        session_id: sessionId,
        task_id: task.id,
        status: task.status,
        stream_path: `/api/tasks/${task.id}/events`,
        live_path: `/api/sessions/${sessionId}/live`,
      };
    },
  };

  /** Read while its row is locked: nobody can close it in between. */
  async function requireOpenSession(tx: Tx, caller: Caller, sessionId: string): Promise<void> {
    const session = await store.sessions.drivenBy(tx, caller, sessionId);
    if (!session) throw new AppError('not_found');
    if (session.status === 'closed') throw new AppError('conflict', { detail: 'This session is closed.' });
  }
}
export type ChatService = ReturnType<typeof createChatService>;

function planOf(steps: ChatRequest['steps'], maxSteps: number) {
  if (!steps) {
    throw new AppError('validation_failed', {
      detail: 'No planner is configured that turns a prompt into steps: send the steps themselves.',
      errors: [{ pointer: '/body/steps', message: 'is required' }],
    });
  }
  if (steps.length > maxSteps) {
    throw new AppError('validation_failed', {
      errors: [{ pointer: '/body/steps', message: `has more than max_steps (${maxSteps}) steps` }],
    });
  }
  return { steps };
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
});
