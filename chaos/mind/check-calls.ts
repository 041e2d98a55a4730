// Compares the books of the model server with the rows: every call on record, every decision paid for once, every token and its cost counted.

import type { TaskStatus } from '@pilothouse/contract';
import type { Entry } from '../../testkit/models/books.ts';
import { costOf } from '../../testkit/models/prices.ts';
import { decisionsIn, type House } from './house.ts';

/** A task with the forms that it was to send. */
export type MindTask = { name: string; taskId: string; paths: string[]; status: TaskStatus | undefined };
type Used = { input_tokens: number; output_tokens: number; cost_micros: number };
type Call = Used & { task_id: string; number: number; status: string };
type Decision = { task_id: string; number: number; call_number: number; decided_at: Date };
type Spent = Used & { id: string; model_calls: number };
type Rows = { calls: Call[]; decisions: Decision[]; spent: Spent | undefined };

export async function checkCalls(house: House, tasks: MindTask[]) {
  const ids = tasks.map(({ taskId }) => taskId);
  const calls = await house.rows<Call>(
    `select task_id, number, status, input_tokens, output_tokens, cost_micros::int from model_calls
     where task_id = any ($1) order by number`,
    [ids],
  );
  const decisions = await house.rows<Decision>(
    'select task_id, number, call_number, decided_at from decisions where task_id = any ($1) order by number',
    [ids],
  );
  const spent = await house.rows<Spent>(
    `select id, model_calls, input_tokens::int, output_tokens::int, cost_micros::int from tasks
     where id = any ($1)`,
    [ids],
  );
  const wrong: string[] = [];
  const figures = { requests: 0, calls: calls.length, repeated: 0, cost_micros: { status: 0, books: 0, cut: 0 } };
  for (const task of tasks) {
    const books = house.booksOf(task.name);
    const rows: Rows = {
      calls: calls.filter(({ task_id }) => task_id === task.taskId),
      decisions: decisions.filter(({ task_id }) => task_id === task.taskId),
      spent: spent.find(({ id }) => id === task.taskId),
    };
    const say = (text: string) => wrong.push(`${task.name}: ${text}`);
    figures.requests += books.length;
    figures.repeated += repeatedIn(books, rows, say);
    checkRecord(books, rows, say);
    const { told, counted, cut } = checkTokens(books, rows, task, say);
    figures.cost_micros.status += told;
    figures.cost_micros.books += counted;
    figures.cost_micros.cut += cut;
  }
  const count = (status: string) => calls.filter((call) => call.status === status).length;
  const statuses = { ok: count('ok'), failed: count('failed'), lost: count('lost'), aborted: count('aborted') };
  return { wrong, figures: { ...figures, ...statuses, decisions: decisions.length, open: count('begun') } };
}

/** Requests for a decision that was on record when they were made. */
function repeatedIn(books: Entry[], { decisions }: Rows, say: (text: string) => void): number {
  const repeated = books.filter((entry) => {
    const recorded = decisions[decisionsIn(entry.request)];
    return recorded !== undefined && entry.at > recorded.decided_at.getTime();
  });
  for (const { n, request } of repeated) say(`request ${n} asks again for decision ${decisionsIn(request) + 1}`);
  return repeated.length;
}

/** A row for every request, and a decision for every call that is `ok`. */
function checkRecord(books: Entry[], { calls, decisions, spent }: Rows, say: (text: string) => void): void {
  for (const { number } of calls.filter(({ status }) => status === 'ok')) {
    const made = decisions.filter(({ call_number }) => call_number === number).length;
    if (made !== 1) say(`call ${number} is ok, and has ${made} decisions`);
  }
  const isOk = new Set(calls.filter(({ status }) => status === 'ok').map(({ number }) => number));
  for (const { number, call_number } of decisions)
    if (!isOk.has(call_number)) say(`decision ${number} has no call that is ok`);
  const open = calls.filter(({ status }) => status === 'begun').length;
  if (open > 0) say(`${open} calls are still open`);
  // An agent may die, or its task be taken, between the row and the request.
  const unsent = calls.length - books.length;
  const mayBeUnsent = calls.filter(({ status }) => status === 'lost' || status === 'aborted').length;
  if (unsent < 0 || unsent > mayBeUnsent) say(`${books.length} requests, ${calls.length} rows, ${mayBeUnsent} cut`);
  if (spent?.model_calls !== calls.length) say(`it counts ${spent?.model_calls} calls of ${calls.length}`);
}

/**
 * Every call with tokens has an answer in the books with as many, each used once, and costs what that costs; and the status is
 * their sum. `cut`: what answers cost that nobody was there to take any more.
 */
function checkTokens(books: Entry[], { calls, spent }: Rows, { status }: MindTask, say: (text: string) => void) {
  const answered = books.filter(({ answer }) => answer === 'answered');
  const sum = { input_tokens: 0, output_tokens: 0, cost_micros: 0 };
  for (const { number, input_tokens: input, output_tokens: output, cost_micros, status: ended } of calls) {
    if (ended !== 'ok' && input + output + cost_micros === 0) continue;
    // Requests with as many tokens may have had different shares of them in the cache.
    const fits = ({ tokens }: Entry) => tokens?.input === input && tokens.output === output;
    const found = answered.findIndex((entry) => fits(entry) && costIn(entry) === cost_micros);
    if (found < 0)
      say(`no answer of the model server has the ${input} + ${output} tokens of call ${number} for ${cost_micros}`);
    const [entry] = found < 0 ? [] : answered.splice(found, 1);
    sum.input_tokens += entry?.tokens?.input ?? 0;
    sum.output_tokens += entry?.tokens?.output ?? 0;
    sum.cost_micros += entry ? costIn(entry) : 0;
  }
  for (const [who, used] of [['its row', spent] as const, ['its status', status?.cost] as const])
    for (const [what, counted] of Object.entries(sum) as [keyof Used, number][])
      if (used && used[what] !== counted) say(`${who} has ${used[what]} ${what}, the books ${counted}`);
  const cut = calls.filter(({ status: ended }) => ended === 'lost' || ended === 'aborted').length;
  if (answered.length > cut) say(`${answered.length} answers are on no record, and only ${cut} calls were cut`);
  const lost = answered.reduce((all, entry) => all + costIn(entry), 0);
  return { told: status?.cost.cost_micros ?? 0, counted: sum.cost_micros, cut: lost };
}

const costIn = ({ tokens }: Entry): number => (tokens ? costOf(tokens) : 0);
