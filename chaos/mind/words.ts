// Words said to a task at a random moment: the next call of the model has them, and nothing more is done of what it decided
// without them.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Mind } from '../../testkit/models/mind.ts';
import { findHandles, readPage } from '../../testkit/models/view-text.ts';
import { createRandom, type Random } from '../../testkit/random.ts';
import { ended, type House, soon } from './house.ts';

type Options = { seed: number; words: number; atOnce: number };
type Said = { name: string; taskId: string; text: string; number: number; at: number };

/** Within the first few decisions, of which each has several acts. */
const afterMs = { from: 0, to: 1500 };

export async function sayWords(house: House, { seed, words, atOnce }: Options) {
  const wrong: string[] = [];
  const figures = { said: 0, in_next_call: 0, cut: 0, in_a_call: 0, acts: 0 };
  let next = 0;
  const work = async () => {
    let sessionId: string | undefined;
    while (next < words) {
      const i = next++;
      const random = createRandom(seed + i);
      const said = await say(house, `words-${seed}-${i}`, random, sessionId);
      sessionId = said.sessionId;
      const status = await ended(house, said.taskId);
      if (status?.status !== 'success')
        wrong.push(`${said.name}: it ended as ${status?.status}: ${status?.last_error}`);
      const seen = await look(house, said);
      wrong.push(...seen.wrong);
      figures.said += 1;
      figures.in_next_call += Number(seen.isInNext);
      figures.cut += Number(seen.isCut);
      figures.in_a_call += Number(seen.isInCall);
      figures.acts += seen.acts;
    }
    if (sessionId) await house.client.deleteSession({ id: sessionId });
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, words) }, work));
  return { isGood: wrong.length === 0 && figures.in_next_call === words, figures: { ...figures, wrong } };
}

/** Presses the button several times in each decision, until it hears the words; then it finishes. */
const presses =
  (url: string, text: string): Mind =>
  ({ messages, lastUserText }) => {
    if (messages.some((one) => one.text.includes(`A person says: ${text}`)))
      return { calls: [{ name: 'finish', input: { state: 'done', summary: 'It was told to stop.' } }] };
    const decisions = messages.filter(({ role }) => role === 'assistant').length;
    if (decisions === 0) return { calls: [{ name: 'open', input: { url } }] };
    const [work] = findHandles(readPage(lastUserText), 'Work', ['button']);
    // Not the same twice in a row: that would be noticed as going in circles.
    const count = decisions % 2 === 0 ? 4 : 5;
    const call = { name: 'click', input: { ref: work?.ref ?? 'none' } };
    return { text: 'goal: press', calls: Array.from({ length: count }, () => call) };
  };

async function say(
  house: House,
  name: string,
  random: Random,
  session: string | undefined,
): Promise<Said & { sessionId: string }> {
  const text = `Stop now, ${name}.`;
  const { taskId, sessionId } = await house.begin(name, presses(`${house.button.url}/${name}`, text), session);
  await soon(`${name}: it presses`, () => house.booksOf(name).length >= 2);
  await sleep(random.between(afterMs.from, afterMs.to));
  const { message } = await house.client.sendTaskMessage({ id: taskId, text });
  return { name, taskId, sessionId, text, number: message.number, at: Date.now() };
}

async function look(house: House, { name, taskId, text, number, at }: Said) {
  const wrong: string[] = [];
  const books = house.booksOf(name);
  const [first] = books.filter((entry) => entry.at > at);
  const isInNext = first?.request.messages.some((one) => one.text.includes(text)) ?? false;
  // A call that began in the same moment may have them too: then no other follows.
  const isInLast = books.at(-1)?.request.messages.some((one) => one.text.includes(text)) ?? false;
  if (first ? !isInNext : !isInLast) wrong.push(`${name}: the next call has not heard it`);
  const late = await house.rows<{ index: number; decision: number }>(
    `select s.index, d.number as decision from steps s
     join task_messages m on m.task_id = s.task_id and m.number = $2
     join decisions d on d.task_id = s.task_id and s.index between d.first_step and d.last_step
     where s.task_id = $1 and s.intent_at > m.recorded_at and d.read_messages < m.number`,
    [taskId, number],
  );
  for (const { index, decision } of late)
    wrong.push(`${name}: step ${index} of decision ${decision} began after the words`);
  const clicks = await house.rows<{ status: string; effect_at: Date }>(
    'select status, effect_at from steps where task_id = $1 and index > 1',
    [taskId],
  );
  const touches = house.button.touches.filter(({ path }) => path === `/${name}`);
  const done = clicks.filter(({ status }) => status === 'success').length;
  if (touches.length !== done) wrong.push(`${name}: pressed ${touches.length} times, and ${done} are on record`);
  const decisions = await house.rows<{ cut_reason: string | null; decided_at: Date; read_messages: number }>(
    'select cut_reason, decided_at, read_messages from decisions where task_id = $1',
    [taskId],
  );
  const isCut = decisions.some(({ cut_reason }) => cut_reason === 'A person said something.');
  const isInCall = decisions.some((one) => one.decided_at.getTime() > at && one.read_messages < number);
  return { wrong, isInNext: first ? isInNext : isInLast, isCut, isInCall, acts: touches.length };
}
