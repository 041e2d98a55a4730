// Tasks that a model plans, on a site that counts what cannot be undone, while agents, hosts and PostgreSQL are killed.

import { setTimeout as sleep } from 'node:timers/promises';
import type { TaskStatus } from '@pilothouse/contract';
import { isApiError } from '@pilothouse/sdk';
import type { Mind } from '../../testkit/models/mind.ts';
import { type Intent, teacher } from '../../testkit/models/teacher.ts';
import { createRandom, type Random } from '../../testkit/random.ts';
import { insist } from '../tasks/person.ts';
import { checkCalls, type MindTask } from './check-calls.ts';
import { ended, type House } from './house.ts';
import { startKilling } from './killing.ts';

type Options = { seed: number; tasks: number; kills: number; atOnce: number };

const formsPerTask = 3;
const thinksMs = { from: 30, to: 900 };
const afterwardsMs = 60_000;

export async function killWhileDeciding(house: House, { seed, tasks, kills, atOnce }: Options) {
  const all: MindTask[] = [];
  const progress = () => house.model.books.length;
  const killing = startKilling({ stack: house.stack, random: createRandom(seed), kills, progress });
  let next = 0;
  const work = async () => {
    // Tasks go on until all kills are done, so that each kill meets some.
    while (next < tasks || !killing.isOver()) all.push(await runOne(house, `kills-${seed}-${next++}`, seed + next));
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, tasks) }, work)).finally(killing.close);
  const checked = await checkCalls(house, all);
  const wrong = [...checked.wrong, ...killing.problems, ...all.flatMap((task) => problemsOf(house, task))];
  const count = (status: string) => all.filter((task) => task.status?.status === status).length;
  const sent = all.flatMap(({ paths }) => paths.map((path) => house.forms.posts.get(path) ?? 0));
  const figures = {
    tasks: all.length,
    success: count('success'),
    sentences: all.flatMap(({ status }) => (status?.status === 'failed' ? (status.last_error ?? '') : [])),
    kills: killing.kills.length,
    kills_of: Object.fromEntries(
      [...Map.groupBy(killing.kills, (part) => part.replace(/-\d+$/, ''))].map(([part, of]) => [part, of.length]),
    ),
    ...checked.figures,
    sent_once: sent.filter((times) => times === 1).length,
    sent_twice: sent.filter((times) => times > 1).length,
    wrong,
  };
  const isGood = wrong.length === 0 && figures.repeated === 0 && figures.lost <= figures.kills && figures.ok > 0;
  return { isGood, figures };
}

async function runOne(house: House, name: string, seed: number): Promise<MindTask> {
  const random = createRandom(seed);
  const paths = Array.from({ length: formsPerTask }, (_, i) => `/${name}/${i}`);
  const plan = paths.flatMap((path): Intent[] => [
    { open: house.forms.url + path },
    { fill: { Note: name } },
    { click: 'Send', irreversible: true },
  ]);
  const mind = takesTime(teacher([...plan, { finish: { sent: paths.length } }]), random);
  const { taskId, sessionId } = await house.begin(name, mind);
  const status = await ended(house, taskId, { answer: (asking) => answer(house, asking, paths) });
  await insist(() => house.client.deleteSession({ id: sessionId }), AbortSignal.timeout(afterwardsMs));
  return { name, taskId, paths, status };
}

const takesTime =
  (mind: Mind, random: Random): Mind =>
  async (request) => {
    const thought = await mind(request);
    return 'fault' in thought
      ? thought
      : { fault: 'slow', ms: random.between(thinksMs.from, thinksMs.to), answer: thought };
  };

/** As a person who looks at the site: done where its count says so, else once more. */
async function answer({ client, forms }: House, { task_id, question }: TaskStatus, paths: string[]): Promise<void> {
  // The browser may have sent it a moment ago.
  await sleep(500);
  const begun = paths.filter((path) => forms.visits.has(path)).at(-1) ?? '';
  const text = forms.posts.has(begun) ? 'done' : 'repeat';
  await insist(
    () => client.signalTakeover({ id: task_id, answer: text, asked_at: question?.asked_at }, { timeoutMs: 10_000 }),
    AbortSignal.timeout(afterwardsMs),
  ).catch((error: unknown) => {
    // An answer whose reply was lost has been heard.
    if (!isApiError(error, 'conflict')) throw error;
  });
}

function problemsOf({ forms }: House, { name, paths, status }: MindTask): string[] {
  const sent = paths.map((path) => forms.posts.get(path) ?? 0);
  const problems = sent.flatMap((times, i) => (times > 1 ? `${name}: form ${i} was sent ${times} times` : []));
  if (!status) problems.push(`${name}: it did not end`);
  else if (status.status === 'failed' && !status.last_error) problems.push(`${name}: it failed without a sentence`);
  else if (status.status === 'success' && sent.some((times) => times !== 1))
    problems.push(`${name}: done, and the site saw ${sent.join()}`);
  return problems;
}
