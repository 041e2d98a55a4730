// What a model is told of a task so far, from the rows alone: the same rows give the same messages, so that every request
// begins as the one before it did. Views of pages are not part of it.

import { estimateTokens } from '@pilothouse/bus';
import {
  type Answer,
  type DecisionRow,
  type ObservationRow,
  type PastTakeover,
  type StepRow,
  stepIdOf,
  type TaskMessageRow,
} from '@pilothouse/store';
import type { Message } from '../model/types.ts';
import { StoredActions, type StoredCall } from './actions.ts';
import { closed, fenced, fenceOfTask } from './fence.ts';

export type HistoryRows = {
  decisions: DecisionRow[];
  attempts: StepRow[];
  messages: TaskMessageRow[];
  takeovers: PastTakeover[];
  answers: Answer[];
  findings: ObservationRow[];
};

/** `fence`: around words of pages. */
type Rows = HistoryRows & { fence: string };

/** Of the whole history; older decisions become one line each when it grows beyond this. */
const maxTokens = 12_000;
/** When the history is shortened, the newest decisions keep their full text: this many of them. */
const keptDecisions = 6;
const dataChars = 3000;
const noCall = 'You called no tool. Call one.';

/** Oldest first. The last one ends what the next request repeats. */
export function historyOf(given: HistoryRows, taskId: string): Message[] {
  const rows = { ...given, fence: fenceOfTask(taskId) };
  const parts = rows.decisions.map((decision, i) => partOf(decision, rows.decisions[i - 1], rows));
  const shortened = shortenedAt(parts);
  const summary = parts.slice(0, shortened).flatMap(({ words, line }) => [...words, line]);
  const messages: Message[] = summary.length > 0 ? [{ role: 'user', text: `Done so far:\n${summary.join('\n')}` }] : [];
  for (const { words, full } of parts.slice(shortened)) {
    if (words.length > 0) messages.push({ role: 'user', text: words.join('\n') });
    messages.push(...full);
  }
  const news = newsSince(rows.decisions.at(-1), rows);
  if (news.length > 0) messages.push({ role: 'user', text: news.join('\n') });
  return messages;
}

/** What people said and did that no decision knows yet. */
function newsSince(last: DecisionRow | undefined, { messages, takeovers, fence }: Rows): string[] {
  const said = messages.filter(({ number }) => number > (last?.read_messages ?? 0));
  const drove = takeovers.filter(({ activated_at }) => !last || activated_at > last.decided_at);
  return [...drove.map((one) => driveLine(one, fence)), ...said.map(messageLine)];
}

type Part = { words: string[]; full: Message[]; line: string; tokens: number };

function partOf(decision: DecisionRow, before: DecisionRow | undefined, rows: Rows): Part {
  const { calls } = StoredActions.parse(decision.actions);
  const said = rows.messages.filter(
    ({ number }) => number > (before?.read_messages ?? 0) && number <= decision.read_messages,
  );
  const drove = rows.takeovers.filter(
    ({ activated_at }) => activated_at <= decision.decided_at && (!before || activated_at > before.decided_at),
  );
  const words = [...drove.map((one) => driveLine(one, rows.fence)), ...said.map(messageLine)];
  const text = [decision.evaluation && `check: ${decision.evaluation}`, decision.goal && `goal: ${decision.goal}`]
    .filter(Boolean)
    .join('\n');
  const results = calls.map((call) => ({ id: call.id, name: call.name, ...resultOf(call, decision, rows) }));
  const full: Message[] =
    calls.length > 0
      ? [
          { role: 'assistant', text, calls: calls.map(({ id, name, input }) => ({ id, name, input })) },
          { role: 'tool', results },
        ]
      : [
          { role: 'assistant', text: text || '(nothing)' },
          { role: 'user', text: noCall },
        ];
  const line = `${decision.number}. ${calls.map((call, i) => `${shortCall(call)}: ${firstLine(results[i]?.text, rows.fence)}`).join('; ') || noCall}`;
  return { words, full, line, tokens: estimateTokens(JSON.stringify([words, full])) };
}

/** Up to which decision the history is short: it moves seldom and far, so that the beginning of requests stays the same. */
function shortenedAt(parts: Part[]): number {
  let at = 0;
  let tokens = 0;
  for (const [i, part] of parts.entries()) {
    tokens += part.tokens;
    if (tokens <= maxTokens) continue;
    at = Math.max(at, i + 1 - keptDecisions);
    tokens = parts.slice(at, i + 1).reduce((sum, one) => sum + one.tokens, 0);
    tokens += estimateTokens(
      parts
        .slice(0, at)
        .flatMap(({ words, line }) => [...words, line])
        .join('\n'),
    );
  }
  return at;
}

function resultOf(call: StoredCall, decision: DecisionRow, rows: Rows): { text: string; isError?: true } {
  if (call.refused !== undefined) return { text: call.refused, isError: true };
  if (!call.steps) return { text: freeResult(call.name) };
  const [first, count] = call.steps;
  const results = Array.from({ length: count }, (_, i) => stepResult(decision.first_step + first + i, decision, rows));
  const failed = results.findIndex(({ isDone }) => !isDone);
  if (failed < 0) return { text: results.map(({ text }) => text).find(Boolean) ?? 'done' };
  const done = failed > 0 ? `The first ${failed} of ${count} were done. ` : '';
  return { text: `${done}${results[failed]?.text}`, isError: true };
}

const freeResult = (name: string): string =>
  ({ look: 'The next message has the picture.', remember: 'Noted.', plan: 'Shown.', finish: 'Not finished yet.' })[
    name
  ] ?? 'done';

function stepResult(index: number, decision: DecisionRow, rows: Rows): { text: string; isDone: boolean } {
  const last = rows.attempts.findLast((attempt) => attempt.index === index);
  const isOfDecision = index <= decision.last_step;
  if (!last || !isOfDecision) return { text: `Not done: ${decision.cut_reason ?? 'it did not begin.'}`, isDone: false };
  if (last.status !== 'success')
    return { text: `Failed: ${quotedFenced(last.error ?? 'for no known reason', rows.fence)}`, isDone: false };
  // A yes to an act is not what the act found.
  return { text: foundBy(index, last.approval_id ? { ...rows, answers: [] } : rows), isDone: true };
}

/** Our sentences begin with words of ours; those of pages are quoted in them. */
function quotedFenced(error: string, fence: string): string {
  const at = error.indexOf('"');
  return at < 0 ? error : error.slice(0, at) + fenced(fence, error.slice(at));
}

/** What the step read, or what a person answered. */
function foundBy(index: number, { answers, findings, fence }: Rows): string {
  const stepId = stepIdOf(index);
  const answer = answers.findLast(({ step_id }) => step_id === stepId);
  if (answer) return answer.text === null ? 'done: the page shows it' : `A person answered: ${answer.text}`;
  const found = findings.findLast(({ step_id }) => step_id === stepId);
  if (!found) return '';
  if (found.kind === 'download') return `The file ${fenced(fence, JSON.stringify(found.summary))} was kept.`;
  const data = JSON.stringify(found.data);
  const rest = data.length > dataChars ? ` … (${data.length} characters; all of it is in the result)` : '';
  return `Read as ${JSON.stringify(found.summary)}: ${fenced(fence, data.slice(0, dataChars).toWellFormed())}${rest}`;
}

const messageLine = ({ text }: TaskMessageRow): string => `A person says: ${text}`;

const driveLine = ({ holder_name, secs, url_after }: PastTakeover, fence: string): string =>
  `${holder_name ?? 'A person'} drove the browser for ${secs} s${url_after ? ` and left it at ${fenced(fence, url_after)}` : ''}.`;

const shortCall = ({ name, input }: StoredCall): string =>
  `${name} ${JSON.stringify(input).slice(0, 80).toWellFormed()}`;
const firstLine = (text = '', fence: string): string =>
  closed(fence, (text.split('\n')[0] ?? '').slice(0, 120).toWellFormed());
