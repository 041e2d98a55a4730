// Asks again what a model was asked for a task, from rows and kept calls alone: builds every request with the present code, and says at
// which call it is another one. Where it is the same, the kept answer is the answer. Calls no model and no browser.

import type { Task } from '@pilothouse/contract';
import { type DecisionRow, planItemsOf, type Store, stepIdOf, type TaskRow } from '@pilothouse/store';
import type { ModelRequest } from '../model/types.ts';
import { StoredActions } from './actions.ts';
import { historyOf } from './history.ts';
import { type KeptCall, partsOf, type RequestParts, readCall, typedBy } from './kept-call.ts';
import { requestOf } from './prompt.ts';
import { readTaskRows, type TaskRows } from './task-rows.ts';

/** `differs`: the first call whose request is another one than before; undefined where all are the same. */
export type Replayed = { lines: string[]; differs: number | undefined; same: number };
type MakeRequest = typeof requestOf;

const shownChars = 160;

export async function replay(store: Store, task: TaskRow, makeRequest: MakeRequest = requestOf): Promise<Replayed> {
  const rows = await readTaskRows(store, task);
  const lines: string[] = [];
  let same = 0;
  for (const decision of rows.decisions) {
    const number = decision.call_number;
    const kept = await readCall(store, task, number);
    if (!kept) {
      lines.push(`call ${number}: not kept`);
      continue;
    }
    const at = rowsAt(rows, decision);
    const request = rebuilt(makeRequest, task, at, kept);
    const difference = differenceOf(
      kept.request,
      partsOf(request, task, kept.inputs.pictureKey, typedAt(rows, decision)),
    );
    if (difference) return { lines: [...lines, `call ${number}: ${difference}`], differs: number, same };
    same += 1;
    lines.push(
      `call ${number}: the same; ${kept.model} answered ${kept.answer.calls.map(({ name }) => name).join(', ')}`,
    );
  }
  return { lines, differs: undefined, same };
}

const callsOf = ({ actions }: DecisionRow) => StoredActions.parse(actions).calls;

/** What was typed when this decision was kept. */
const typedAt = ({ decisions }: TaskRows, { number }: DecisionRow): string[] =>
  typedBy(decisions.filter((one) => one.number <= number).flatMap(callsOf));

/** The rows as they were when the model was asked for this decision. */
function rowsAt(rows: TaskRows, { number, first_step, read_messages, decided_at }: DecisionRow): TaskRows {
  const earlier = new Set(Array.from({ length: first_step - 1 }, (_, i) => stepIdOf(i + 1)));
  return {
    ...rows,
    decisions: rows.decisions.filter((one) => one.number < number),
    attempts: rows.attempts.filter(({ index }) => index < first_step),
    messages: rows.messages.filter((one) => one.number <= read_messages),
    takeovers: rows.takeovers.filter(({ activated_at }) => activated_at <= decided_at),
    findings: rows.findings.filter(({ step_id }) => earlier.has(step_id)),
    answers: rows.answers.filter(({ step_id }) => step_id === null || earlier.has(step_id)),
  };
}

function rebuilt(makeRequest: MakeRequest, task: TaskRow, rows: TaskRows, { model, inputs }: KeptCall): ModelRequest {
  const { view, notes, isLast, files, secrets, pictureKey } = inputs;
  return makeRequest({
    ...{ model, taskId: task.id, prompt: task.prompt, files, secrets, view, notes, isLast },
    // The server wrote them as the contract has them.
    settings: task.settings as Task['settings'],
    startedOn: task.created_at.toISOString().slice(0, 10),
    planItems: planItemsOf(task),
    history: historyOf(rows, task.id),
    ...(pictureKey !== null && { picture: { mediaType: 'image/jpeg', bytes: new Uint8Array() } }),
  });
}

function differenceOf(before: RequestParts, now: RequestParts): string | undefined {
  if (before.system !== now.system) return `the system prompt differs ${where(before.system, now.system)}`;
  if (before.tools !== now.tools) return 'the tools differ';
  for (const [i, text] of now.messages.entries()) {
    const former = before.messages[i];
    if (former === undefined) return `message ${i + 1} is new`;
    if (former !== text) return `message ${i + 1} differs ${where(former, text)}`;
  }
  return before.messages.length > now.messages.length ? `message ${now.messages.length + 1} is gone` : undefined;
}

function where(before: string, now: string): string {
  let at = 0;
  while (at < before.length && before[at] === now[at]) at += 1;
  const part = (text: string) => JSON.stringify(text.slice(at, at + shownChars).toWellFormed());
  return `at character ${at + 1}: ${part(before)} is now ${part(now)}`;
}
