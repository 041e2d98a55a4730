// Sends the scripts over the interface, as any program would, and compares what comes of them with what must.
import type { TaskStatus } from '@pilothouse/contract';
import { isApiError } from '@pilothouse/sdk';
import type { Installation } from '../installation.ts';
import { type Sites, startSites } from '../sites/sites.ts';
import { judge, type Outcome } from './judge.ts';
import { kindsFor, makeScript, type SeededScript } from './kinds.ts';
import type { NamedFile, Script } from './script.ts';

/** Wide: what fails is looked for as long as a step may take. */
const scriptMs = 180_000;

type Options = {
  installation: Pick<Installation, 'client'>;
  /** How many; one of each kind where it is not said. */
  count?: number;
  atOnce: number;
  seed: number;
  /** Sites that run already; else they run as long as the scripts do. */
  sites?: Sites;
  /** Puts a file into a session, where there is a way; without it no script needs one. */
  putFile?: (sessionId: string, file: NamedFile) => Promise<void>;
};

/** One script that did not end as it must, with all that is needed to see why. */
export type Mismatch = {
  kind: string;
  index: number;
  task_id: string | null;
  differences: string[];
  ask: string;
  history: string[];
};

type Ran = { outcome: Outcome; status: TaskStatus | null; sessionId: string | null };

export async function runScripts({ installation: { client }, count, atOnce, seed, sites: given, putFile }: Options) {
  const sites = given ?? (await startSites());
  const able = { canPutFiles: putFile !== undefined };
  const kinds = kindsFor(able).length;
  const total = count ?? kinds;
  const mismatches: Mismatch[] = [];
  const tookMs: number[] = [];
  let sent = 0;
  let sessionsLeft = 0;

  async function runOne(index: number): Promise<void> {
    const made = makeScript(sites, able, seed, index);
    const begun = performance.now();
    let ran: Ran | undefined;
    try {
      ran = await run(made.script);
      note(made, ran, judge(made.script, ran.outcome, made.visitor));
    } catch (error) {
      note(made, ran, [`it could not be run: ${error}`]);
    }
    tookMs.push(performance.now() - begun);
    if (ran?.sessionId) {
      const isClosed = await client.deleteSession({ id: ran.sessionId }).then(
        () => true,
        // The script is judged already; a session that stays is told in the figures.
        () => false,
      );
      if (!isClosed) sessionsLeft += 1;
    }
    sites.forget(made.name);
  }

  async function run(script: Script): Promise<Ran> {
    const session_id = script.brings ? await openWith(script.brings) : undefined;
    const ask =
      'lines' in script.ask
        ? { prompt: script.ask.lines.join('\n'), planner: 'script' as const }
        : { prompt: 'A script given as steps', steps: script.ask.steps };
    try {
      const chat = await client.sendChat({ ...ask, session_id, max_steps: 100 });
      const signal = AbortSignal.timeout(scriptMs);
      for await (const event of client.followTask({ id: chat.task_id }, { signal })) if (event.type === 'end') break;
      const { status } = await client.getTaskStatus({ id: chat.task_id });
      return { outcome: await outcomeOf(status), status, sessionId: chat.session_id };
    } catch (error) {
      if (!isApiError(error, 'validation_failed')) throw error;
      const lines = error.errors.flatMap(({ message }) => Number(/line (\d+)/.exec(message)?.[1] ?? Number.NaN));
      const outcome = { status: 'refused', failedStep: null, error: error.message, lines, data: null, files: [] };
      return { outcome, status: null, sessionId: session_id ?? null };
    }
  }

  async function openWith(files: NamedFile[]): Promise<string> {
    const { session } = await client.createSession();
    for (const file of files) await putFile?.(session.id, file);
    return session.id;
  }

  async function outcomeOf({ task_id, status, last_error, agent_history, result }: TaskStatus): Promise<Outcome> {
    const failed = agent_history.findLast((entry) => entry.status === 'failed');
    const files = (result?.files ?? []).map(async ({ file_id, name }) => {
      const answer = await client.getTaskFile({ id: task_id, file_id });
      return { name, bytes: await answer.bytes() };
    });
    return {
      status,
      failedStep: failed?.step_index ?? null,
      error: last_error,
      lines: [],
      data: result?.data ?? null,
      files: await Promise.all(files),
    };
  }

  function note({ kind, index, script }: SeededScript, ran: Ran | undefined, differences: string[]): void {
    if (differences.length === 0) return;
    const history = ran?.status?.agent_history ?? [];
    mismatches.push({
      kind,
      index,
      task_id: ran?.status?.task_id ?? null,
      differences,
      ask: 'lines' in script.ask ? script.ask.lines.join('\n') : JSON.stringify(script.ask.steps),
      history: history.map(
        ({ step_index, title, status, message }) => `${step_index} ${status}: ${title} ${message ?? ''}`,
      ),
    });
  }

  const begun = performance.now();
  try {
    const work = async () => {
      while (sent < total) await runOne(sent++);
    };
    await Promise.all(Array.from({ length: atOnce }, work));
  } finally {
    if (!given) await sites.close();
  }
  tookMs.sort((one, other) => one - other);
  const part = (share: number) => Math.round(tookMs[Math.floor((tookMs.length - 1) * share)] ?? 0);
  return {
    seed,
    scripts: total,
    kinds,
    at_once: atOnce,
    as_expected: total - mismatches.length,
    took_ms: Math.round(performance.now() - begun),
    script_ms: { p50: part(0.5), p95: part(0.95), max: part(1) },
    sessions_left: sessionsLeft,
    mismatches: mismatches.sort((one, other) => one.index - other.index),
  };
}
