// How an act ended, by the answer of Chromium to its last command.

import { actLimits, type ProgramAct } from '@pilothouse/bus';

export type Answered = Pick<ProgramAct, 'outcome' | 'error'> & { at: number };

/** Undefined: another driver took over before there was an answer. */
export function readAnswer(answer: string | undefined, at: number): Answered {
  if (answer === undefined) return { outcome: 'unanswered', error: 'another took over while it was under way', at };
  // Answers to acts are short, and most say nothing.
  if (!answer.includes('rror')) return { outcome: 'done', error: null, at };
  const { error, result } = JSON.parse(answer) as { error?: { message?: unknown }; result?: { errorText?: unknown } };
  const message = error ? (error.message ?? 'it failed') : result?.errorText;
  return message === undefined
    ? { outcome: 'done', error: null, at }
    : { outcome: 'failed', error: String(message).slice(0, actLimits.errorChars), at };
}

/** Several commands that are one act, which began at this time: it is done when all are. */
export function jointly(answers: readonly Answered[], at: number): Pick<ProgramAct, 'outcome' | 'error' | 'run_ms'> {
  const bad = answers.find(({ outcome }) => outcome !== 'done');
  const end = Math.max(at, ...answers.map((one) => one.at));
  return { outcome: bad?.outcome ?? 'done', error: bad?.error ?? null, run_ms: Math.round(end - at) };
}

type Wait = { ms: number; signal: AbortSignal };

/** The value, or `other` after this time or when the signal ends. Never rejects. */
export function orElse<T>(work: Promise<T>, other: () => T, { ms, signal }: Wait): Promise<T> {
  const { promise, resolve } = Promise.withResolvers<T>();
  const giveUp = () => resolve(other());
  const timer = setTimeout(giveUp, ms).unref();
  signal.addEventListener('abort', giveUp, { once: true });
  if (signal.aborted) giveUp();
  work.then(resolve, giveUp);
  return promise.finally(() => {
    clearTimeout(timer);
    signal.removeEventListener('abort', giveUp);
  });
}
