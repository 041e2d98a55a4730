// One call of a model, on record before it is made and after it.

import type { Log } from '@pilothouse/process';
import type { CallEnd, ModelCallRow } from '@pilothouse/store';
import type { Ledger } from '../ledger/ledger.ts';
import { TaskNotHeld, type TaskTurn } from '../ledger/turn.ts';
import { ModelFailure } from '../model/failure.ts';
import type { ModelAnswer, ModelRequest } from '../model/types.ts';
import type { Mind } from './mind.ts';
import { pauseAfter } from './model-choice.ts';
import type { TaskRows } from './task-rows.ts';

type Options = { ledger: Ledger; mind: Mind; log: Log };
type Asking = {
  request: ModelRequest;
  estimatedTokens: number;
  rows: Pick<TaskRows, 'calls' | 'messages'>;
  /** `decide` unless given. */
  purpose?: 'plan';
};

export function createAsk({ ledger, mind, log }: Options) {
  async function failed(turn: TaskTurn, call: ModelCallRow, failure: ModelFailure, calls: TaskRows['calls']) {
    const { kind, message: error, usage, costMicros } = failure;
    const retryAfterMs = pauseAfter(calls, failure, mind.models);
    const end: CallEnd = { status: 'failed', failure: kind, error, usage, costMicros, retryAfterMs };
    await ledger.endCall(turn, call, end);
    log.warn({ task_id: turn.task.id, model: failure.model, kind, ms: failure.ms }, 'a model did not answer');
  }

  /** Undefined where the model did not answer: the rows say when it is asked again. The caller writes the end of the call. */
  return async function ask(
    turn: TaskTurn,
    { request, estimatedTokens, rows: { calls, messages }, purpose }: Asking,
  ): Promise<{ call: ModelCallRow; answer: ModelAnswer } | undefined> {
    const readMessages = messages.at(-1)?.number ?? 0;
    const asked = { purpose: purpose ?? 'decide', model: request.model, estimatedTokens, readMessages } as const;
    const call = await ledger.beginCall(turn, asked);
    try {
      return { call, answer: await mind.ask(request, { signal: turn.signal }) };
    } catch (error) {
      if (error instanceof ModelFailure && !turn.signal.aborted) {
        await failed(turn, call, error, calls);
        return undefined;
      }
      // A person, another agent or the end of this process took the task: what the call used is kept all the same.
      const { usage, costMicros } = error instanceof ModelFailure ? error : {};
      await ledger.endCall(turn, call, { status: 'aborted', usage, costMicros });
      throw turn.signal.aborted ? new TaskNotHeld() : error;
    }
  };
}
