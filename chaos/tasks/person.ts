import { setTimeout as sleep } from 'node:timers/promises';
import type { TaskEvent } from '@pilothouse/contract';
import { type Client, ConnectionError, isApiError } from '@pilothouse/sdk';
import type { Script } from './script.ts';

/** What one person saw of one task: everything here comes over the interface. */
export type TaskHistory = {
  name: string;
  script: Script;
  taskId: string;
  sessionId: string;
  /** How it ended; `stuck` where it did not in the time it had. */
  ended: string;
  error: string | null;
  question: string | null;
  seqs: number[];
};

const againMs = 300;
const followMs = 120_000;

/** Calls until the servers answer: they come and go. Repeating is safe for whatever is asked in here. */
export async function insist<T>(call: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      const isWeather = error instanceof ConnectionError || isApiError(error, 'overloaded') || isTimeout(error);
      if (!isWeather || signal.aborted) throw error;
      await sleep(againMs, undefined, { signal });
    }
  }
}
const isTimeout = (error: unknown) => error instanceof Error && error.name === 'TimeoutError';

/** Asks for the work, follows it until it ends or waits for an answer, and closes the session. */
export async function askAndFollow(
  client: Client,
  name: string,
  script: Script,
  forMs = followMs,
): Promise<TaskHistory> {
  const signal = AbortSignal.timeout(forMs);
  const chat = await insist(
    () =>
      client.sendChat(
        { prompt: name, steps: script.steps, max_steps: 200 },
        { idempotencyKey: name, timeoutMs: 10_000 },
      ),
    signal,
  );
  const seen: TaskHistory = {
    name,
    script,
    taskId: chat.task_id,
    sessionId: chat.session_id,
    ended: 'stuck',
    error: null,
    question: null,
    seqs: [],
  };
  try {
    for await (const event of client.followTask({ id: chat.task_id }, { signal })) {
      if ('seq' in event && typeof event.seq === 'number') seen.seqs.push(event.seq);
      if (note(seen, event)) break;
    }
  } catch (error) {
    if (!signal.aborted) seen.error = String(error);
  }
  return seen;
}

/** Whether there is nothing more to see. */
function note(seen: TaskHistory, event: TaskEvent): boolean {
  if (event.type === 'end') return true;
  if (event.type === 'message_state' && event.message_state.pending_question) {
    seen.question = event.message_state.pending_question.text;
    return true;
  }
  if (event.type !== 'status') return false;
  const { status, last_error } = event.status;
  if (status === 'pending' || status === 'running') return false;
  seen.ended = status;
  seen.error = last_error;
  // Behind the last status comes the end, and behind one that waits its question.
  return false;
}
