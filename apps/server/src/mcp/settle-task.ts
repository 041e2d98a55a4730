// Waits for a task on behalf of a tool, and asks the user of the client what the task asks, where the client can.

import { type InputRequiredResult, inputRequired } from '@modelcontextprotocol/server';
import { AppError, type Question, routes, type TaskStatus } from '@pilothouse/contract';
import { z } from 'zod';
import type { ToolAnswer } from './page-words.ts';
import { mayAnswer, taskAnswerOf } from './task-answer.ts';
import type { ToolCall } from './tool.ts';

/** Clients give a call up after a minute, so no call waits as long. */
export const maxWaitSecs = 50;
export const usualWaitSecs = 30;
export const waitSecs = z.int().min(0).max(maxWaitSecs).describe('Seconds to wait for the task');

const answerChars = 4000;

export type Settle = { waitSecs: number; isOwnWork?: boolean };

/** `isOwnWork`: the call began the task, so that its failure is one of the call. */
export async function settleTask(
  call: ToolCall,
  taskId: string,
  { waitSecs: secs, isOwnWork = false }: Settle,
): Promise<ToolAnswer | InputRequiredResult> {
  const given = call.given?.taskId === taskId ? call.given : undefined;
  if (given?.answer !== undefined)
    await answerQuestion(call, taskId, { answer: given.answer, askedAt: given.askedAt }).catch((error: unknown) => {
      // Another person was quicker, and the task has gone on.
      if (!(error instanceof AppError && error.code === 'conflict')) throw error;
    });
  const status = await call.waitFor(taskId, secs * 1000);
  // The user did not want to answer here: the inbox has the question all the same.
  const hasDeclined = given !== undefined && given.answer === undefined;
  if (call.canAsk && !hasDeclined && mayAnswer(status)) return askUser(status);
  return { ...taskAnswerOf(status, call), isError: isOwnWork && status.status === 'failed' };
}

/**
 * Answers the one question that the client was shown. The route takes the answer only while that question stands, so the kind that is
 * checked here is the kind that is answered.
 */
export async function answerQuestion(
  call: ToolCall,
  taskId: string,
  { answer, askedAt }: { answer: string; askedAt: string },
): Promise<void> {
  const { status } = await call.call(routes.getTaskStatus, { params: { id: taskId } });
  if (status.question?.asked_at !== askedAt)
    throw new AppError('conflict', { detail: 'The task does not ask this question now. get_task says what it asks.' });
  if (!mayAnswer(status)) throw new AppError('forbidden', { detail: onlyPerson });
  await call.call(routes.signalTakeover, { params: { id: taskId }, body: { answer, asked_at: askedAt } });
}

const onlyPerson = 'Only a person in the inbox can answer this, and no MCP client.';

function askUser({ task_id, question }: TaskStatus & { question: Question }): InputRequiredResult {
  const { text, choices, takes_words, asked_at } = question;
  const isChoice = choices && !takes_words;
  const answer = isChoice
    ? { type: 'string' as const, oneOf: choices.map(({ value, label }) => ({ const: value, title: label })) }
    : { type: 'string' as const, minLength: 1, maxLength: answerChars };
  return inputRequired({
    inputRequests: {
      answer: inputRequired.elicit({
        message: text,
        requestedSchema: { type: 'object', properties: { answer }, required: ['answer'] },
      }),
    },
    requestState: JSON.stringify({ task_id, asked_at }),
  });
}
