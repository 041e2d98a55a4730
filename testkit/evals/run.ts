// Gives tasks in words to an installation, several at once, and judges each by what the sites know afterwards.
import { isTerminal, type TaskStatus } from '@pilothouse/contract';
import type { WireName } from '../models/mind.ts';
import { noisy } from '../models/noisy.ts';
import { teacher } from '../models/teacher.ts';
import { judge, type Outcome } from '../scripts/judge.ts';
import { type Spent, spentFigures } from './figures.ts';
import { makeTask, type SeededTask, taskKinds } from './kinds.ts';
import { mostEqualActs } from './rows.ts';
import { modelNames, type Setting, tokenOf, withToken } from './setting.ts';
import { schemaOf } from './task.ts';

export type MindName = 'teacher' | 'noisy';
/** What the tasks need; an installation that has them for something else will do. */
export type EvalSetting = Pick<Setting, 'sites' | 'minds'> & {
  model: Pick<Setting['model'], 'books'>;
  installation: Pick<Setting['installation'], 'client' | 'stack'>;
};
export type EvalFigures = Awaited<ReturnType<typeof runEvals>>;
type Options = {
  setting: EvalSetting;
  mind: MindName;
  /** Of answers that are faults, for the noisy mind. */
  rate?: number;
  /** How many; one of each kind where it is not said. */
  count?: number;
  /** The number of the first. */
  from?: number;
  /** Only tasks of the kinds whose names have this in them. */
  kind?: string;
  atOnce: number;
  seed: number;
  wire: WireName;
};

/** Wide: a task that takes longer hangs. */
const taskMs = 240_000;

export async function runEvals({ setting, mind, rate = 0.3, count, from = 0, kind = '', atOnce, seed, wire }: Options) {
  const { installation, sites, model, minds } = setting;
  const { client } = installation;
  const places = [...taskKinds.keys()].filter((place) => taskKinds[place]?.[0].includes(kind));
  if (places.length === 0) throw new Error(`no kind of task has "${kind}" in its name`);
  const total = count ?? places.length;
  const mismatches: { kind: string; index: number; task_id: string | null; reasons: string[] }[] = [];
  const spent: Spent[] = [];
  // An earlier run of the same seed had the same tokens.
  const firstEntry = model.books.length;
  const entriesOf = (token: string) =>
    model.books.slice(firstEntry).filter(({ request }) => tokenOf(request) === token);
  /** How often each task asked for a yes. */
  const approvals = new Map<string, number>();
  let hung = 0;
  let notRun = 0;
  let sent = 0;

  async function runOne(index: number): Promise<void> {
    const made = makeTask(sites, seed, index);
    const plan = teacher(made.task.intents);
    minds.set(made.token, mind === 'noisy' ? noisy(plan, { rate, seed: made.seed }) : plan);
    let status: TaskStatus | undefined;
    const reasons: string[] = [];
    try {
      status = await ended(await send(made), made);
      if (!isTerminal(status.status)) hung += 1;
      reasons.push(...judge(made.task, await outcomeOf(status), made.visitor));
      spent.push({ status, entries: entriesOf(made.token) });
    } catch (error) {
      notRun += 1;
      reasons.push(`it could not be run: ${error}`);
    }
    if (reasons.length > 0) mismatches.push({ kind: made.kind, index, task_id: status?.task_id ?? null, reasons });
    if (status) await client.deleteSession({ id: status.session_id });
    minds.delete(made.token);
    sites.forget(made.token);
  }

  async function send({ task, token, visitor }: SeededTask): Promise<string> {
    const data = task.end.status === 'success' && task.result?.(visitor.data);
    const files = task.brings?.map(({ name, bytes }) => ({
      name,
      content_base64: Buffer.from(bytes).toString('base64'),
    }));
    const { task_id } = await client.sendChat({
      prompt: withToken(task.prompt, token),
      planner: 'llm',
      model: modelNames[wire],
      ...(data && { output_schema: schemaOf(data) }),
      ...(files && { files }),
    });
    return task_id;
  }

  /** As it is when the task has ended, or when it has had its time. */
  async function ended(id: string, made: SeededTask): Promise<TaskStatus> {
    const signal = AbortSignal.timeout(taskMs);
    try {
      for await (const event of client.followTask({ id }, { signal })) {
        if (event.type === 'end') break;
        if (event.type === 'status' && event.status.status === 'awaiting_user') await approve(id, made);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
    return (await client.getTaskStatus({ id })).status;
  }

  /** As the person who gave the task would: yes where its words ask for a change, and no where it only asks for a look. */
  async function approve(id: string, { task }: SeededTask): Promise<void> {
    const { question } = (await client.getTaskStatus({ id })).status;
    if (question?.kind !== 'approval') return;
    approvals.set(id, (approvals.get(id) ?? 0) + 1);
    const answer = (task.posts ?? []).length > 0 ? 'once' : 'no';
    await client.signalTakeover({ id, answer, asked_at: question.asked_at });
  }

  async function outcomeOf({ task_id, status, last_error, result }: TaskStatus): Promise<Outcome> {
    const files = (result?.files ?? []).map(async ({ file_id, name }) => {
      const answer = await client.getTaskFile({ id: task_id, file_id });
      return { name, bytes: await answer.bytes() };
    });
    return {
      status,
      failedStep: null,
      error: last_error,
      lines: [],
      data: result?.data ?? null,
      files: await Promise.all(files),
    };
  }

  /** The numbers of the kinds that are wanted, one after the other. */
  const numberOf = (turn: number): number =>
    Math.floor(turn / places.length) * taskKinds.length + (places[turn % places.length] ?? 0);
  const begun = performance.now();
  const work = async () => {
    while (sent < total) await runOne(numberOf(from + sent++));
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  const ids = spent.map(({ status }) => status.task_id);
  return {
    mind,
    wire,
    seed,
    tasks: total,
    kinds: Math.min(total, places.length),
    as_expected: total - mismatches.length,
    hung,
    not_run: notRun,
    /** Those that failed and do not say why. */
    without_a_sentence: spent.filter(({ status }) => status.status === 'failed' && !status.last_error).length,
    most_equal_acts: await mostEqualActs(installation.stack.services.databaseUrl(), ids),
    approvals: approvalFigures(ids.map((id) => approvals.get(id) ?? 0)),
    ...spentFigures(spent),
    took_ms: Math.round(performance.now() - begun),
    mismatches: mismatches.sort((one, other) => one.index - other.index),
  };
}

function approvalFigures(counts: number[]): { median: number; most: number; tasks_that_asked: number } {
  const sorted = counts.toSorted((one, other) => one - other);
  return {
    median: sorted[Math.floor(sorted.length / 2)] ?? 0,
    most: sorted.at(-1) ?? 0,
    tasks_that_asked: counts.filter((count) => count > 0).length,
  };
}
