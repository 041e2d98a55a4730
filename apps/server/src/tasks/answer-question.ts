// Gives a person's answer to the question of a task, or their yes to a plan that they have changed.

import { AppError, type PlanItem } from '@pilothouse/contract';
import { type Append, planItemsOf, progressOf, questionOf, type Store, type TaskRow, type Tx } from '@pilothouse/store';

/** A yes to these items, in place of those that were proposed. */
export type ChangedPlan = { items: string[]; askedAt?: string; by: string };
/**
 * `askedAt` names the question, if the caller said which; `by` is the user; `field` is the field of the request that holds the
 * text.
 */
export type TaskAnswer = { text: string; askedAt?: string; by: string; field: 'answer' | 'message' };

export function createAnswerQuestion({ store }: { store: Store }) {
  /** Names the possible answers, if the question takes no others. */
  async function refuseUnlessOption(tx: Tx, id: string, { askedAt, field }: TaskAnswer): Promise<void> {
    const task = await store.tasks.locked(tx, id);
    const question = task?.status === 'awaiting_user' ? questionOf(task) : null;
    if (!question?.choices || (askedAt !== undefined && askedAt !== question.asked_at)) return;
    const message = `must be one of ${question.choices.map(({ value }) => value).join(', ')}`;
    const errors = [{ pointer: `/body/${field}`, message }];
    throw new AppError('invalid_answer', { detail: `The answer ${message}.`, errors });
  }

  async function tell(tx: Tx, append: Append, task: TaskRow): Promise<void> {
    const plan = task.plan_agreed_at && planItemsOf(task);
    const status = { ...progressOf(task), ...(plan && { plan_items: plan }) };
    await append({ taskId: task.id, kind: 'status', data: { status } });
    await store.tellConversation(tx, append, task);
  }

  return {
    /** False if the task asks nothing, or not the question that was meant. */
    answer: ({ id, session_id }: TaskRow, answer: TaskAnswer): Promise<boolean> =>
      store.change(session_id, async (tx, append) => {
        const task = await store.questions.answer(tx, id, answer);
        if (task) await tell(tx, append, task);
        else await refuseUnlessOption(tx, id, answer);
        return task !== undefined;
      }),

    /** False if the task asks for no yes to a plan, or not to the one that was meant. */
    agree: ({ id, session_id }: TaskRow, { items, askedAt, by }: ChangedPlan): Promise<boolean> =>
      store.change(session_id, async (tx, append) => {
        const before = await store.tasks.locked(tx, id);
        const proposed = (before && planItemsOf(before)) ?? [];
        const task = await store.questions.agree(tx, id, { items: withSites(items, proposed), askedAt, by });
        if (task) await tell(tx, append, task);
        return task !== undefined;
      }),
  };
}

/** What a person left as it was keeps its site. */
const withSites = (texts: string[], proposed: PlanItem[]): PlanItem[] =>
  texts.map((text) => proposed.find((item) => item.text === text) ?? { text });
