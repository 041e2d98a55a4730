// Gives a person's answer to the question of a task, or their yes to a plan that they have changed.

import { AppError, ApprovalAnswer, type PlanItem } from '@pilothouse/contract';
import {
  type Append,
  answersOf,
  type Caller,
  planItemsOf,
  progressOf,
  questionOf,
  type Store,
  type TaskRow,
  type Tx,
} from '@pilothouse/store';

/** A yes to these items, in place of those that were proposed. */
export type ChangedPlan = { items: string[]; askedAt?: string };
/** `askedAt` names the question, if the caller said which; `field` is the field of the request that holds the text. */
export type TaskAnswer = { text: string; askedAt?: string; field: 'answer' | 'message' };

export function createAnswerQuestion({ store }: { store: Store }) {
  /** Names the possible answers, if the question takes no others. */
  async function refuseUnlessOption(tx: Tx, id: string, { text, askedAt, field }: TaskAnswer): Promise<void> {
    const task = await store.tasks.locked(tx, id);
    const question = task?.status === 'awaiting_user' ? questionOf(task) : null;
    if (!question?.choices || (askedAt !== undefined && askedAt !== question.asked_at)) return;
    // A yes that comes too late is one of them.
    if (question.choices.some(({ value }) => value === text.trim().toLowerCase())) return;
    const message = `must be one of ${question.choices.map(({ value }) => value).join(', ')}`;
    const errors = [{ pointer: `/body/${field}`, message }];
    throw new AppError('invalid_answer', { detail: `The answer ${message}.`, errors });
  }

  /** The answer to the question is the answer to the act: one is not there without the other. */
  async function settleApproval(tx: Tx, task: TaskRow, userId: string): Promise<void> {
    const said = ApprovalAnswer.parse(answersOf(task).at(-1)?.text);
    const id = await store.approvals.answer(tx, task.id, said, userId);
    if (!id) throw new AppError('conflict', { detail: 'The time for this yes is over.' });
    const data = { task_id: task.id, approval_id: id, answer: said };
    await store.audit.add({ event: 'approval_answered', outcome: said === 'no' ? 'no' : 'yes', userId, data }, tx);
  }

  async function tell(tx: Tx, append: Append, task: TaskRow): Promise<void> {
    const plan = task.plan_agreed_at && planItemsOf(task);
    const status = { ...progressOf(task), ...(plan && { plan_items: plan }) };
    await append({ taskId: task.id, kind: 'status', data: { status } });
    await store.tellConversation(tx, append, task);
  }

  return {
    /** False if the task asks nothing, or not the question that was meant. */
    answer: ({ id: userId }: Caller, { id, session_id }: TaskRow, answer: TaskAnswer): Promise<boolean> =>
      store.change(session_id, async (tx, append) => {
        const before = await store.tasks.locked(tx, id);
        const asked = before && questionOf(before);
        const task = await store.questions.answer(tx, id, answer);
        if (task && asked?.kind === 'approval') await settleApproval(tx, task, userId);
        if (task) await tell(tx, append, task);
        else await refuseUnlessOption(tx, id, answer);
        return task !== undefined;
      }),

    /** False if the task asks for no yes to a plan, or not to the one that was meant. */
    agree: ({ id, session_id }: TaskRow, { items, askedAt }: ChangedPlan): Promise<boolean> =>
      store.change(session_id, async (tx, append) => {
        const before = await store.tasks.locked(tx, id);
        const proposed = (before && planItemsOf(before)) ?? [];
        const task = await store.questions.agree(tx, id, { items: withSites(items, proposed), askedAt });
        if (task) await tell(tx, append, task);
        return task !== undefined;
      }),
  };
}

/** What a person left as it was keeps its site. */
const withSites = (texts: string[], proposed: PlanItem[]): PlanItem[] =>
  texts.map((text) => proposed.find((item) => item.text === text) ?? { text });
