// A model server that refuses, fails, stands still, cuts and talks nonsense: every task ends well or with a plain sentence, the
// wait that the server asks for is kept, and other tasks go on as without it.

import type { Step } from '@pilothouse/contract';
import type { Entry } from '../../testkit/models/books.ts';
import type { Fault, Mind, MindAnswer } from '../../testkit/models/mind.ts';
import { faults } from '../../testkit/models/minds.ts';
import { type Intent, teacher } from '../../testkit/models/teacher.ts';
import { ended, type House, share } from './house.ts';

type FaultName = keyof typeof faults;
type Kind = 'without' | 'with';

const retryAfterSecs = 2;
/** Of the wait that was asked for; a small run beside other tests allows more. */
const late = { full: 0.1, small: 0.5 };
const slower = 1.2;
const otherSteps = { full: 40, small: 8 };
/** These take as long as the limit of a call. */
const slow: FaultName[] = ['silent', 'stalled'];
const small: FaultName[] = ['rateLimited', 'serverError', 'cut', 'refusal', 'wrongArguments'];
/** The model answers the same again, so it is not asked again. */
const fails: FaultName[] = ['refusal'];

export async function sufferFaults(house: House, { isSmall }: { isSmall: boolean }) {
  const all = Object.keys(faults) as FaultName[];
  const names = isSmall ? small : [...slow, ...all.filter((name) => !slow.includes(name))];
  const wrong: string[] = [];
  const without = await runPhase(house, 'without', names, { isSmall, wrong });
  const withFaults = await runPhase(house, 'with', names, { isSmall, wrong });
  const p95 = { without: share(without.stepMs, 0.95), with: share(withFaults.stepMs, 0.95) };
  const ratio = Math.round((100 * p95.with) / p95.without) / 100;
  // A few steps on a busy machine say nothing of a p95: a small run only reports it.
  if (!isSmall && ratio > slower) wrong.push(`other tasks took ${ratio} times as long`);
  const figures = {
    faults: names.length,
    ends: withFaults.ends,
    retry_after_ms: { asked: 1000 * retryAfterSecs, waited: withFaults.waitedMs },
    other_steps_p95_ms: p95,
    ratio,
    steps: [without.stepMs.length, withFaults.stepMs.length],
    wrong,
  };
  return { isGood: wrong.length === 0, figures };
}

type Phase = { isSmall: boolean; wrong: string[] };

/** The same tasks with and without faults, beside a task without a model, whose steps are measured. */
async function runPhase(house: House, kind: Kind, names: FaultName[], { isSmall, wrong }: Phase) {
  const ends: Record<string, string> = {};
  const waitedMs: number[] = [];
  const stepMs: number[] = [];
  let isOver = false;
  const others = (async () => {
    do stepMs.push(...(await measureOther(house, kind, isSmall ? otherSteps.small : otherSteps.full, wrong)));
    while (!isOver && !isSmall);
  })();
  const left = [...names];
  const work = async () => {
    for (let name = left.shift(); name; name = left.shift()) {
      const { end, books } = await runOne(house, kind, name, wrong);
      ends[name] = end;
      if (kind === 'with' && name === 'rateLimited')
        waitedMs.push(checkWait(books, isSmall ? late.small : late.full, wrong));
    }
  };
  await Promise.all(Array.from({ length: 2 }, work)).finally(() => {
    isOver = true;
  });
  await others;
  return { ends, waitedMs, stepMs };
}

async function runOne(house: House, kind: Kind, name: FaultName, wrong: string[]) {
  const task = `faults-${kind}-${name.toLowerCase()}`;
  const plan: Intent[] = [
    { open: `${house.forms.url}/${task}` },
    { fill: { Note: name } },
    { click: 'Send', irreversible: true },
    { finish: { sent: true } },
  ];
  const fault = name === 'rateLimited' ? { ...faults.rateLimited, retryAfter: String(retryAfterSecs) } : faults[name];
  const mind = teacher(plan);
  const { taskId, sessionId } = await house.begin(task, kind === 'with' ? meets(fault, mind) : mind);
  const status = await ended(house, taskId);
  const books = house.booksOf(task);
  await house.client.deleteSession({ id: sessionId });
  const sent = house.forms.posts.get(`/${task}`) ?? 0;
  const isToFail = kind === 'with' && fails.includes(name);
  const say = (text: string) => wrong.push(`${task}: ${text}`);
  if (!status) say('it did not end');
  else if (status.status !== (isToFail ? 'failed' : 'success'))
    say(`it ended as ${status.status}: ${status.last_error}`);
  if (sent !== Number(!isToFail)) say(`the form was sent ${sent} times`);
  const sentence = status?.last_error ?? '';
  if (isToFail && !/^[A-Z].{10,}/.test(sentence)) say(`it failed without a sentence: ${sentence}`);
  return { end: isToFail ? `${status?.status}: ${sentence}` : (status?.status ?? 'stuck'), books };
}

/** The second request meets the fault. */
function meets(fault: MindAnswer | Fault, mind: Mind): Mind {
  let asked = 0;
  return (request) => {
    asked += 1;
    return asked === 2 ? fault : mind(request);
  };
}

function checkWait(books: Entry[], part: number, wrong: string[]): number {
  const [, refused, again] = books;
  const waited = (again?.at ?? Number.POSITIVE_INFINITY) - (refused?.at ?? 0);
  const asked = 1000 * retryAfterSecs;
  if (waited < asked || waited > asked * (1 + part)) wrong.push(`asked to wait ${asked} ms, waited ${waited}`);
  return waited;
}

let others = 0;

async function measureOther(house: House, kind: Kind, count: number, wrong: string[]): Promise<number[]> {
  others += 1;
  const path = `/other-${kind}-${others}`;
  const steps: Step[] = [
    { action: 'navigate', url: house.button.url + path },
    ...Array.from({ length: count }, (): Step => ({ action: 'click', target: 'Work' })),
  ];
  const { task_id: id, session_id } = await house.client.sendChat({ prompt: path, steps, max_steps: 200 });
  const status = await ended(house, id);
  if (status?.status !== 'success') wrong.push(`${path}: it ended as ${status?.status}: ${status?.last_error}`);
  const rows = await house.rows<{ ms: number }>(
    `select 1000 * extract(epoch from effect_at - intent_at)::float8 as ms from steps
     where task_id = $1 and status = 'success' and index > 1`,
    [id],
  );
  await house.client.deleteSession({ id: session_id });
  return rows.map(({ ms }) => ms);
}
