// One task of as many decisions as there may be: no request grows beyond its bound, each begins as the one before, and tokens and
// costs are those of the books to the end.

import { Tiktoken } from 'js-tiktoken/lite';
import o200k from 'js-tiktoken/ranks/o200k_base';
import { spentFigures } from '../../testkit/evals/figures.ts';
import type { Entry } from '../../testkit/models/books.ts';
import type { Mind } from '../../testkit/models/mind.ts';
import { findHandles, readPage } from '../../testkit/models/view-text.ts';
import { ended, type House } from './house.ts';

const most = { tokens: 24_000, compactions: 2 };
/** Those of a register of ships, whose rows change with each. */
const buttons = ['Next page', 'Next page', 'Length', 'Next page', 'Year', 'Next page', 'Port', 'Name'];
const withinMs = 1_800_000;
const tokensPerPicture = 1100;
/** Counting takes time: only requests as large as these can be the largest. */
const counted = 5;

/** The first decision opens the page, and the last one finishes. */
export async function pressOnAndOn(house: House, { decisions, seed }: { decisions: number; seed: number }) {
  const name = `long-${seed}`;
  const { url } = house.sites.visitor(name, seed);
  const presses = decisions - 2;
  const limits = { max_steps: 200, max_tokens: 10_000_000 };
  const { taskId, sessionId } = await house.begin(name, presser(url('tables'), presses), undefined, limits);
  const status = await ended(house, taskId, { withinMs });
  const rows = await house.rows<{ status: string }>('select status from steps where task_id = $1', [taskId]);
  const made = await house.rows<{ number: number }>('select number from decisions where task_id = $1', [taskId]);
  await house.client.deleteSession({ id: sessionId });
  const books = house.booksOf(name);
  const wrong: string[] = [];
  const done = rows.filter((row) => row.status === 'success').length;
  if (status?.status !== 'success') wrong.push(`it ended as ${status?.status}: ${status?.last_error}`);
  if (done !== presses + 1) wrong.push(`${done} steps were done of ${presses + 1}`);
  if (made.length < decisions) wrong.push(`it decided ${made.length} times`);
  const spent = status && spentFigures([{ status, entries: books }]);
  if (!spent || spent.difference_to_books + spent.cost_micros.difference !== 0) wrong.push('it differs from the books');
  const compactions = spent ? spent.prefix_kept.of - spent.prefix_kept.kept : 0;
  if (compactions > most.compactions) wrong.push(`${compactions} requests did not begin as the one before`);
  const largest = largestOf(books);
  if (largest > most.tokens) wrong.push(`a call of ${largest} tokens`);
  const figures = { decisions: made.length, compactions, largest_call_o200k: largest, ...spent, wrong };
  return { isGood: wrong.length === 0, figures };
}

function presser(url: string, presses: number): Mind {
  let asked = -1;
  return ({ lastUserText }) => {
    asked += 1;
    if (asked === 0) return { text: 'goal: open it', calls: [{ name: 'open', input: { url } }] };
    const text = `check: ${asked - 1} pressed\ngoal: press the next button, as the task says`;
    if (asked > presses)
      return { text, calls: [{ name: 'finish', input: { state: 'done', summary: 'All pressed.' } }] };
    const name = buttons[(asked - 1) % buttons.length] ?? '';
    const [button] = findHandles(readPage(lastUserText), name, ['button']);
    return { text, calls: [{ name: 'click', input: { ref: button?.ref ?? 'none' } }] };
  };
}

/** In tokens of o200k, pictures as the vendor counts them. */
function largestOf(books: Entry[]): number {
  const encoder = new Tiktoken(o200k);
  const sent = books.map(({ request: { tools, system, messages } }) => ({
    text: JSON.stringify([tools, system, messages.map(({ pictures, ...rest }) => rest)]),
    pictures: messages.flatMap(({ pictures }) => pictures).length,
  }));
  const sizes = sent
    .toSorted((one, other) => other.text.length - one.text.length)
    .slice(0, counted)
    .map(({ text, pictures }) => encoder.encode(text).length + tokensPerPicture * pictures);
  return Math.max(0, ...sizes);
}
