// Asks a person: the task waits in `awaiting_user` until they answer, or until the page shows what was waited for.

import type { Condition } from '@pilothouse/contract';
import { type NewQuestion, progressOf, type Store, stepIdOf } from '@pilothouse/store';
import type { Attempts } from './attempts.ts';
import type { HeldTask } from './held-task.ts';
import { TaskNotHeld, type Turn } from './turn.ts';

type Options = { store: Store; heldTask: HeldTask; attempts: Attempts; questionSecs: number };
type Question = Pick<NewQuestion, 'text' | 'kind' | 'options' | 'choices' | 'takesWords'> & { until: Condition | null };
type OpenQuestion = { id: string; sessionId: string; executionId: string; askedAt: string };

const shown = 'The page shows what was waited for.';

export function createQuestions({ store, heldTask, attempts, questionSecs }: Options) {
  const { changing, hold, say } = heldTask;

  return {
    /** With `isStep` the question is the step itself, and has an attempt in the ledger. */
    ask: (turn: Turn, { until, ...asked }: Question, { isStep }: { isStep: boolean }) =>
      changing(turn, async (tx, append) => {
        const isOpen = turn.attempts.some(({ status }) => status === 'running');
        if (isStep && !isOpen) await attempts.begin(tx, append, turn, { epoch: 0 });
        else await hold(tx, turn);
        const { task, executionId, index } = turn;
        const question = { ...asked, stepId: stepIdOf(index), expiresInSecs: questionSecs };
        const waiting = await store.questions.ask(tx, { id: task.id, executionId }, question, until);
        if (!waiting) throw new TaskNotHeld();
        await say(append, turn, `Asked: ${asked.text}`);
        await append({ taskId: task.id, kind: 'status', data: { status: progressOf(waiting) } });
        await store.tellConversation(tx, append, waiting);
      }),

    /** What was waited for came without an answer. Does nothing where the question no longer stands. */
    async settled({ id, sessionId, executionId, askedAt }: OpenQuestion, message = shown): Promise<void> {
      await store.change(sessionId, async (tx, append) => {
        const task = await store.questions.answered(tx, { id, executionId, askedAt });
        if (!task) return;
        await store.logs.append(append, { taskId: id, level: 'info', message });
        await append({ taskId: id, kind: 'status', data: { status: progressOf(task) } });
        await store.tellConversation(tx, append, task);
      });
    },
  };
}
