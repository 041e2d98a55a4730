// Gives a person's answer to the question of a task.

import { AppError } from '@pilothouse/contract';
import { progressOf, questionOf, type Store, type TaskRow, type Tx } from '@pilothouse/store';

/** `askedAt` names the question, if the caller said which; `field` is the field of the request that holds the text. */
export type TaskAnswer = { text: string; askedAt?: string; field: 'answer' | 'message' };

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

  /** False if the task asks nothing, or not the question that was meant. */
  return ({ id, session_id }: TaskRow, answer: TaskAnswer): Promise<boolean> =>
    store.change(session_id, async (tx, append) => {
      const task = await store.questions.answer(tx, id, answer);
      if (!task) {
        await refuseUnlessOption(tx, id, answer);
        return false;
      }
      await append({ taskId: id, kind: 'status', data: { status: progressOf(task) } });
      await store.tellConversation(tx, append, task);
      return true;
    });
}
