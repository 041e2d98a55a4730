// Answers the question of a task. Never takes over, which the same route does without an answer.

import type { Question, TaskStatus } from '@pilothouse/contract';
import type { CallOptions } from '../client/call.ts';
import type { Client } from '../client/client.ts';

/** Words, the `value` of one of the choices, or for a question of kind `plan` the plan as it should be. */
export type QuestionAnswer = string | { plan_items: string[] };

/**
 * Answers this question and no later one. Throws `ApiError` with `conflict` if it is no longer open, and `invalid_answer` if
 * the question takes other answers only: then it stays open.
 */
export async function answerQuestion(
  client: Pick<Client, 'signalTakeover'>,
  { id, question, answer }: { id: string; question: Pick<Question, 'asked_at'>; answer: QuestionAnswer },
  options?: CallOptions,
): Promise<TaskStatus> {
  // Without an answer the route would interrupt the task.
  if (answer === '') throw new TypeError('an answer has at least one character');
  const said = typeof answer === 'string' ? { answer } : { plan_items: answer.plan_items };
  const { status } = await client.signalTakeover({ id, asked_at: question.asked_at, ...said }, options);
  return status;
}
