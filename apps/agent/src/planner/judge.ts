// Asks a model once more when a task is finished: was it done? The verdict stands beside the result and changes nothing. A judge that
// does not answer never fails the task.

import { ImageType, Plan, type TaskResult, type Verdict } from '@pilothouse/contract';
import type { Log } from '@pilothouse/process';
import {
  answersOf,
  type DecisionRow,
  type ModelCallRow,
  type ModelLimits,
  type ObservationRow,
  type Store,
  strikeTyped,
  typedTextsOf,
} from '@pilothouse/store';
import type { Ledger } from '../ledger/ledger.ts';
import type { LastCall } from '../ledger/task-end.ts';
import { TaskNotHeld, type TaskTurn } from '../ledger/turn.ts';
import { ModelFailure } from '../model/failure.ts';
import type { ModelAnswer, Picture } from '../model/types.ts';
import { budgetOf } from './budget.ts';
import { createDayBudget } from './day-budget.ts';
import { type JudgedTask, judgeRequestOf, verdictTool } from './judge-request.ts';
import type { Mind } from './mind.ts';
import type { TaskRows } from './task-rows.ts';

type Options = {
  store: Store;
  ledger: Ledger;
  mind: Mind;
  log: Log;
  /** The model of the task by default. */
  judgeModel?: string;
  modelLimits?: ModelLimits;
};
type Finished = { decision: DecisionRow; rows: TaskRows; result: TaskResult };
/** `last`: a call that ends together with the task. */
export type Judged = { verdict: Verdict; last?: LastCall };

const maxPictures = 8;
/** More than a task can have. */
const maxObservations = 1000;
const maxReasons = 5;
const reasonChars = 500;
/** Agents that were lost while a judge was asked; each costs one call more. */
const maxLost = 3;
const callMs = 60_000;

const unsure = (reason: string): Verdict => ({ state: 'unsure', reasons: [reason], model: null });

/** The judge has been asked about this finish: it was accepted. */
export const wasJudged = ({ calls }: TaskRows, { call_number }: DecisionRow): boolean =>
  calls.some(({ purpose, number }) => purpose === 'judge' && number > call_number);

export function createJudge({ store, ledger, mind, log, judgeModel, modelLimits }: Options) {
  const dayOf = createDayBudget({ store, modelLimits });

  async function judgedTask(turn: TaskTurn, { rows, result }: Finished): Promise<JudgedTask> {
    const { task, settings } = turn;
    const { rows: observations } = await store.observations.listOf(task.id, { limit: maxObservations });
    const pictures = await picturesOf(store, observations);
    return { task, settings, attempts: rows.attempts, observations, answers: answersOf(task), result, pictures };
  }

  /** Undefined where the model did not answer. */
  async function ask(turn: TaskTurn, call: ModelCallRow, request: Parameters<Mind['ask']>[0]) {
    try {
      return await mind.ask(request, { signal: turn.signal });
    } catch (error) {
      if (error instanceof ModelFailure && !turn.signal.aborted) return error;
      const { usage, costMicros } = error instanceof ModelFailure ? error : {};
      await ledger.endCall(turn, call, { status: 'aborted', usage, costMicros });
      throw turn.signal.aborted ? new TaskNotHeld() : error;
    }
  }

  return async function judge(turn: TaskTurn, finished: Finished): Promise<Judged> {
    const { task, settings, attemptsOfTask, leftMs } = turn;
    const { rows, decision } = finished;
    const { calls } = rows;
    const earlier = calls.filter(({ purpose, number }) => purpose === 'judge' && number > decision.call_number);
    if (earlier.filter(({ status }) => status === 'lost' || status === 'begun').length >= maxLost)
      return { verdict: unsure('The judge was asked several times, and each time its agent was lost.') };
    const own = calls.find(({ number }) => number === decision.call_number)?.model;
    const model = mind.models.byName(judgeModel ?? '') ?? mind.models.byName(own ?? '') ?? mind.models.default;
    if (!model) return { verdict: unsure('No model was there to judge it.') };
    const request = judgeRequestOf(model.name, await judgedTask(turn, finished));
    const estimatedTokens = mind.estimate(request);
    const spending = { task, settings, calls, attemptsOfTask, leftMs, estimatedTokens, day: await dayOf(task) };
    if (budgetOf(spending).over) return { verdict: unsure('The budget was used up before it could be judged.') };
    const readMessages = rows.messages.at(-1)?.number ?? 0;
    const call = await ledger.beginCall(turn, { purpose: 'judge', model: model.name, estimatedTokens, readMessages });
    const answer = await ask(turn, call, { ...request, limits: { totalMs: callMs } });
    if (answer instanceof ModelFailure) {
      const { kind: failure, message: error, usage, costMicros } = answer;
      log.warn({ task_id: task.id, model: model.name, kind: failure }, 'a judge did not answer');
      const end = { status: 'failed', failure, error, usage, costMicros } as const;
      return { verdict: { ...unsure('The judge did not answer.'), model: model.name }, last: { call, end } };
    }
    const end = { status: 'ok', usage: answer.usage, costMicros: answer.costMicros } as const;
    return { verdict: verdictIn(answer, model.name, turn), last: { call, end } };
  };
}

/** What the task typed is struck from the words of the judge too. */
function verdictIn({ toolCalls }: ModelAnswer, model: string, { task }: TaskTurn): Verdict {
  const said = toolCalls.find(({ name, invalid }) => name === verdictTool.name && invalid === undefined);
  const read = verdictTool.schema.safeParse(said?.input);
  if (!read.success) return { ...unsure('The judge gave no answer that can be used.'), model };
  const typed = typedTextsOf(Plan.parse(task.plan).steps);
  const { state, reasons, points } = read.data;
  const unmet = points.filter(({ met }) => met === 'no').map(({ text }) => `Not met: ${text}`);
  const told = [...reasons, ...(state === 'done' ? [] : unmet)].slice(0, maxReasons);
  return { state, reasons: told.map((one) => strikeTyped(one, typed).slice(0, reasonChars).toWellFormed()), model };
}

/** The newest ones, oldest first; some may have been removed. */
async function picturesOf({ blobs }: Store, observations: ObservationRow[]): Promise<Picture[]> {
  const kept = observations.filter(({ blob_key, file_id }) => blob_key !== null && file_id === null);
  const read = kept.slice(-maxPictures).map(async ({ blob_key, content_type }): Promise<Picture[]> => {
    const mediaType = ImageType.safeParse(content_type);
    const bytes = mediaType.success && blob_key ? await blobs.get(blob_key) : undefined;
    return mediaType.success && bytes ? [{ mediaType: mediaType.data, bytes }] : [];
  });
  return (await Promise.all(read)).flat();
}
