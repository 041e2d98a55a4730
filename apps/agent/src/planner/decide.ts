// One decision of a model for a task: looks at the page, asks, and writes down what was decided. The steps run in later ticks,
// from the rows. Never acts on the page.

import { setTimeout as sleep } from 'node:timers/promises';
import { Plan } from '@pilothouse/contract';
import type { Log } from '@pilothouse/process';
import {
  type ModelCallRow,
  type ModelLimits,
  planItemsOf,
  type Store,
  type TaskRow,
  titleOf,
  typedTextsOf,
} from '@pilothouse/store';
import type { Browsers } from '../browsers/browsers.ts';
import type { BrowserHandle } from '../browsers/handle.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { resultOf } from '../ledger/result.ts';
import { type Next, TaskNotHeld, type TaskTurn } from '../ledger/turn.ts';
import type { ModelAnswer, ModelRequest } from '../model/types.ts';
import { saidByPeople } from '../policy/said-by-people.ts';
import { actionsOf, StoredActions, type StoredCall } from './actions.ts';
import { createAsk } from './ask.ts';
import { budgetOf } from './budget.ts';
import { createDayBudget } from './day-budget.ts';
import { endingOf, finishOf } from './finish.ts';
import { historyOf } from './history.ts';
import { insist } from './insist.ts';
import { createJudge, wasJudged } from './judge.ts';
import { keepCall, typedBy } from './kept-call.ts';
import { keepPicture } from './kept-picture.ts';
import { createLook, type Seen } from './look.ts';
import { progressOf } from './loops.ts';
import type { Mind } from './mind.ts';
import { chooseModel } from './model-choice.ts';
import { namedSecrets, withoutValues } from './named-secrets.ts';
import { wantsPicture } from './pictures.ts';
import { type NamedSecret, requestOf } from './prompt.ts';
import { saidIn } from './said.ts';
import { createSettling, withDeferral } from './settling.ts';
import { readTaskRows, type TaskRows } from './task-rows.ts';
import { createWithoutModel } from './without-model.ts';

type Options = {
  store: Store;
  browsers: Browsers;
  ledger: Ledger;
  mind: Mind;
  log: Log;
  /** How far apart two looks at a page at rest are. */
  settleMs?: number;
  /** What models may use for one person in a day. */
  modelLimits?: ModelLimits;
  /** Which model judges finished tasks; that of the task by default. */
  judgeModel?: string;
  acquire(turn: TaskTurn): Promise<BrowserHandle>;
  markLost(handle: BrowserHandle): void;
  giveUp(turn: TaskTurn, reason: string): Promise<Next>;
  lastUrl(): string | undefined;
};
type Answered = {
  call: ModelCallRow;
  answer: ModelAnswer;
  rows: TaskRows;
  seen: Seen;
  asked: { request: ModelRequest; notes: string[]; isLast: boolean; files: string[]; secrets: NamedSecret[] };
};

/** The page is looked at in the last moments of a wait, so that the model is asked when it is over. */
const readyMs = 600;

export function createDecide(options: Options) {
  const { store, mind, giveUp } = options;
  const look = createLook(options);
  const dayOf = createDayBudget(options);
  const ask = createAsk(options);
  const record = createRecord(options);
  const finish = createFinish(options);
  const withoutModel = createWithoutModel(options);

  return async function decide(turn: TaskTurn): Promise<Next> {
    const { task, settings, attemptsOfTask, leftMs } = turn;
    const away = await withoutModel(turn);
    if (away) return away;
    const rows = await readTaskRows(store, task);
    const { decisions, calls } = rows;
    const finished = await finish(turn, rows);
    if (finished) return finished;
    const choice = chooseModel(calls, mind.models, settings.model);
    if ('end' in choice) return giveUp(turn, choice.end);
    if (choice.waitMs > readyMs) return { waitMs: choice.waitMs - readyMs };
    const mayAskAt = performance.now() + choice.waitMs;
    const progress = progressOf(decisions);
    if (progress.stop) return giveUp(turn, progress.stop);
    const seen = await look(turn, { decisions, withPicture: wantsPicture(decisions, progress.note !== undefined) });
    if ('next' in seen) return seen.next;
    const words = {
      model: choice.model,
      taskId: task.id,
      prompt: task.prompt,
      settings,
      files: await givenFiles(store, task, rows),
      secrets: await namedSecrets(store, turn),
      startedOn: task.created_at.toISOString().slice(0, 10),
      planItems: planItemsOf(task),
      history: historyOf(rows, task.id),
    };
    const estimatedTokens = mind.estimate(requestOf({ ...words, ...seen, notes: [], isLast: false }));
    const day = await dayOf(task);
    const budget = budgetOf({ task, settings, calls, attemptsOfTask, leftMs, estimatedTokens, day });
    if (budget.over) return giveUp(turn, budget.over);
    const notes = [progress.note, budget.note].filter((note) => note !== undefined);
    const built = requestOf({ ...words, ...seen, notes, isLast: budget.isLast });
    const request = withoutValues(built, await options.browsers.redactorOf(turn.session.id));
    await pauseUntil(mayAskAt, turn.signal);
    const answered = await ask(turn, { request, estimatedTokens, rows });
    const asked = { request, notes, isLast: budget.isLast, files: words.files, secrets: words.secrets };
    if (answered) await record(turn, { ...answered, rows, seen, asked });
    return 'again';
  };
}

async function pauseUntil(time: number, signal: AbortSignal): Promise<void> {
  const ms = time - performance.now();
  if (ms <= 0) return;
  await sleep(Math.ceil(ms), undefined, { signal }).catch(() => {
    throw new TaskNotHeld();
  });
}

/** What the task downloads meanwhile is told by the history: the words of the task stay as they began. */
async function givenFiles(store: Store, task: TaskRow, { findings }: TaskRows): Promise<string[]> {
  const downloaded = new Set(findings.map(({ file_id }) => file_id));
  const files = await store.files.listOf(task.id);
  return files.flatMap(({ id, name }) => (downloaded.has(id) ? [] : name));
}

/** Writes down what was decided, in one transaction with its steps and what the call used. */
function createRecord(options: Pick<Options, 'store' | 'ledger' | 'log'>) {
  const { store, ledger } = options;
  const keep = createKeep(options);

  return async (turn: TaskTurn, { call, answer, rows, seen, asked }: Answered): Promise<void> => {
    const { task, settings, attemptsOfTask } = turn;
    const { view } = seen;
    const { steps, stored, finish } = actionsOf(answer.toolCalls, view, settings.max_steps - attemptsOfTask);
    const ending = finish && (await endingOf(finish, await knownAtEnd(store, turn, rows, view.text)));
    if (ending && 'repair' in ending)
      for (const one of stored.calls) if (one.name === 'finish') one.refused = ending.repair;
    const words = saidIn(answer.text, typedTextsOf([...stepsIn(task), ...steps]));
    const title = steps.length > 0 ? steps.map(titleOf).join(', ') : (stored.calls[0]?.name ?? 'nothing');
    const used = { status: 'ok', usage: answer.usage, costMicros: answer.costMicros } as const;
    const decision = {
      ...words,
      title: words.goal ?? title,
      actions: stored,
      steps,
      url: view.url,
      viewHash: view.shape_hash,
      view: view.text,
      picture: seen.picture && (await keepPicture(options, task, seen.picture)),
      readMessages: rows.messages.at(-1)?.number ?? 0,
    };
    await keep(turn, { call, answer, rows, seen, asked, calls: stored.calls, pictureKey: decision.picture?.blobKey });
    const written = insist(() => ledger.decide(turn, call, used, decision), turn.signal);
    await written.catch(async (error: unknown) => {
      // A person or another agent took the task while the model answered: nothing of it is done, and it has to be paid for.
      if (error instanceof TaskNotHeld) {
        await ledger.endCall(turn, call, { ...used, status: 'aborted' });
        if (decision.picture) await store.blobs.removeAll(decision.picture.blobKey);
      }
      throw error;
    });
  };
}

/** Keeps the call beside its row. What cannot be stored loses no decision: it was paid for. */
function createKeep({ store, log }: Pick<Options, 'store' | 'log'>) {
  type Kept = Answered & { calls: StoredCall[]; pictureKey: string | undefined };
  return async ({ task }: TaskTurn, { call, answer, rows, seen, asked, calls, pictureKey }: Kept) => {
    const { request, ...inputs } = asked;
    const typed = typedBy([...rows.decisions.flatMap((one) => StoredActions.parse(one.actions).calls), ...calls]);
    const shown = { ...inputs, view: seen.view, pictureKey: pictureKey ?? null };
    await keepCall(store, { task, number: call.number, typed }, { request, inputs: shown, answer, calls }).catch(
      (error: unknown) => log.warn({ err: error, task_id: task.id }, 'a call of a model could not be kept'),
    );
  };
}

/** A finish that was accepted ends the task, also where the agent that heard of it was lost before it could. */
function createFinish(options: Options) {
  const { store, ledger } = options;
  const deferralOf = createSettling(options);
  const judge = createJudge(options);
  return async (turn: TaskTurn, rows: TaskRows): Promise<Next | undefined> => {
    const { decisions, messages } = rows;
    const newest = decisions.at(-1);
    const said = newest && finishOf(newest);
    // A person who spoke meanwhile may want something else.
    if (!said || messages.some(({ number }) => number > newest.read_messages)) return undefined;
    const { task, executionId, settings } = turn;
    const isAccepted = wasJudged(rows, newest);
    const deferral = isAccepted ? undefined : await deferralOf(turn, { decision: newest, finish: said, rows });
    if (deferral) {
      await ledger.deferFinish(turn, newest, withDeferral(newest, deferral), deferral);
      return 'again';
    }
    const ending = await endingOf(said, await knownAtEnd(store, turn, rows));
    // Only a finish that fits was written as accepted.
    const end = 'repair' in ending ? ({ move: 'fail', reason: ending.repair } as const) : ending;
    const held = { id: task.id, sessionId: task.session_id, executionId, isAtWork: true };
    if (!settings.judge || end.move !== 'finish') {
      if (!(await ledger.endTask(held, end))) throw new TaskNotHeld();
      return 'done';
    }
    const { verdict, last } = await judge(turn, { decision: newest, rows, result: end.result });
    const how = { ...end, result: { ...end.result, verdict } };
    await insist(async () => {
      if (!(await ledger.endTask(held, how, last))) throw new TaskNotHeld();
    }, turn.signal).catch(async (error: unknown) => {
      // Another process has the task: what the judge used is counted all the same.
      if (error instanceof TaskNotHeld && last)
        await ledger.endCall(turn, last.call, { ...last.end, status: 'aborted' });
      throw error;
    });
    return 'done';
  };
}

/** What a result is checked against. The view that the model has just read is not in the rows yet. */
async function knownAtEnd(store: Store, turn: TaskTurn, rows: TaskRows, view = '') {
  const { task, settings } = turn;
  const [read, views] = await Promise.all([resultOf(store, task, stepsIn(task)), store.decisions.viewsOf(task.id)]);
  const { messages, findings, decisions } = rows;
  const found = findings.map(({ data, summary }) => `${JSON.stringify(data)} ${summary}`);
  return { read, settings, decisions, texts: [...saidByPeople(turn, messages), ...found, ...views, view] };
}

const stepsIn = ({ plan }: TaskRow) => Plan.parse(plan).steps;
