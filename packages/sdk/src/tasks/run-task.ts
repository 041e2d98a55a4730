// Runs a task to its end: starts it once, tells its progress, and passes questions on. Never cancels by itself.

import type { Question, TaskStatus } from '@pilothouse/contract';
import { isTerminal } from '@pilothouse/contract/wire';
import type { Client } from '../client/client.ts';
import { type AgainOptions, untilItPasses } from '../common/again.ts';
import type { Clock } from '../common/clock.ts';
import { isApiError } from '../common/errors.ts';
import type { StreamOptions } from '../streams/stream.ts';
import { answerQuestion, type QuestionAnswer } from './answer-question.ts';
import { createUpdates, type TaskUpdate } from './task-updates.ts';

export type RunOptions = Pick<StreamOptions, 'signal' | 'onConnection'> & {
  /**
   * Called once for each question of the task. What it returns is sent as the answer; without one the question stays open,
   * and a person can answer it elsewhere. An answer that comes after another one is dropped.
   */
  onQuestion?: (question: Question) => QuestionAnswer | undefined | Promise<QuestionAnswer | undefined>;
  clock?: Clock;
};
export type StartOptions = RunOptions & {
  /** Names the work, so that a program that is started again does not do it twice. By default one for each call. */
  idempotencyKey?: string;
};

/** A task on its way. Loop over it to see its progress; the loop ends with the task. */
export type TaskRun = AsyncIterable<TaskUpdate> & {
  readonly taskId: string;
  /**
   * Resolves when the task has ended, with its status, result and cost. A task that failed is no error: look at
   * `status.status`. Follows the task by itself if no loop does.
   */
  finished(): Promise<TaskStatus>;
  /** Has no effect on a task that has ended. */
  cancel(reason?: string): Promise<TaskStatus>;
};

type Chat = Parameters<Client['sendChat']>[0] & { execute?: true };

/**
 * Starts a task. The call is sent again until the server has answered it, and starts one task all the same. Throws as the
 * methods of the client do; an abort of `signal` ends the waiting, and not the task.
 */
export async function runTask(
  client: Client,
  chat: Chat,
  { idempotencyKey = newKey(), ...options }: StartOptions = {},
): Promise<TaskRun & { readonly sessionId: string }> {
  const { signal, clock } = options;
  const { task_id, session_id } = await untilItPasses(() => client.sendChat(chat, { idempotencyKey, signal }), {
    signal,
    clock,
  });
  return { ...followRun(client, task_id, options), sessionId: session_id };
}

/** The same for a task that was started before, from its first event on. */
export function followRun(client: Client, taskId: string, options: RunOptions = {}): TaskRun {
  const { signal, clock, onQuestion } = options;
  const again: AgainOptions = { signal, clock };
  const asked = new Set<string>();
  let isOver = false;
  const readStatus = async () =>
    (await untilItPasses(() => client.getTaskStatus({ id: taskId }, { signal }), again)).status;

  const pass = async (question: Question): Promise<void> => {
    if (!onQuestion || asked.has(question.asked_at)) return;
    asked.add(question.asked_at);
    const answer = await onQuestion(question);
    if (answer === undefined) return;
    const send = () => answerQuestion(client, { id: taskId, question, answer }, { signal });
    // Answered elsewhere, or the task has ended.
    await untilItPasses(send, again).catch((error: unknown) => {
      if (!isApiError(error, 'conflict') && !isApiError(error, 'takeover_conflict')) throw error;
    });
  };

  async function* follow(): AsyncGenerator<TaskUpdate, void, undefined> {
    const updates = createUpdates();
    /** Questions are passed on beside the loop: its caller sees what happens meanwhile. */
    const failing = new AbortController();
    const both = signal ? AbortSignal.any([signal, failing.signal]) : failing.signal;
    let cursor: string | undefined;
    const take = (update: TaskUpdate | undefined): TaskUpdate[] => {
      if (update?.type === 'question' && update.question) pass(update.question).catch((error) => failing.abort(error));
      return update ? [update] : [];
    };
    try {
      while (!isOver) {
        const stream = client.followTask({ id: taskId, cursor }, { ...options, signal: both });
        for await (const event of stream) {
          if (event.type === 'end') isOver = true;
          else yield* take(updates.of(event));
        }
        if (isOver) return;
        // The log before this point is gone: what holds now takes its place.
        const status = await readStatus();
        cursor = status.cursor;
        isOver = isTerminal(status.status);
        yield { type: 'status', status: { ...status, plan_items: status.plan_items ?? undefined } };
        yield* take(updates.ofQuestion(status.question));
      }
    } finally {
      failing.abort();
    }
  }

  return {
    taskId,
    [Symbol.asyncIterator]: follow,
    async finished() {
      if (!isOver) for await (const _ of follow());
      return readStatus();
    },
    async cancel(reason) {
      const send = () => client.cancelTask({ id: taskId, reason }, { signal });
      const { status } = await untilItPasses(send, again).catch(async (error: unknown) => {
        if (!isApiError(error, 'conflict')) throw error;
        return { status: await readStatus() };
      });
      return status;
    },
  };
}

/** Also on pages of plain HTTP, where `crypto.randomUUID` is absent. */
const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
