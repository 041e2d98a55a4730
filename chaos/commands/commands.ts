import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, call as callOnce } from '../auth/auth.calls.ts';
import type { Servers } from '../auth/auth.ts';

const password = 'a long enough password';
const steps = [{ action: 'screenshot' }];
const unique = () => randomBytes(6).toString('hex');
const either = ([one, other]: Servers, i: number) => (i % 2 === 0 ? one : other);
const times = <T>(count: number, make: (i: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, i) => make(i)));
const distinct = (answers: Answer[], field: string) =>
  new Set(answers.filter(({ status }) => status === 202).map(({ body }) => body[field])).size;

/** How often a server was too busy, and was asked again when it said: what is counted here does not hang on the weather. */
let overloaded = 0;
async function call(...request: Parameters<typeof callOnce>): Promise<Answer> {
  for (let tries = 0; tries < 10; tries++) {
    const answer = await callOnce(...request);
    if (answer.status !== 503) return answer;
    overloaded++;
    await sleep(Number(answer.headers['retry-after']) * 1000);
  }
  throw new Error('too busy for ever');
}
export const timesOverloaded = () => overloaded;

/** How often each status was answered. */
function statusesOf(answers: Answer[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

/** Somebody new, by the token they call with. */
async function newToken([server]: Servers): Promise<string> {
  const name = `u${unique()}`;
  const who = { username: name, email: `${name}@example.test`, password };
  const made = await call('POST', `${server}/api/auth/register`, who);
  if (made.status !== 201) throw new Error(`could not register: ${made.status}`);
  const login = await call('POST', `${server}/api/auth/login`, { username_or_email: name, password });
  return String(login.body.access_token);
}

const chat = (server: string, token: string, body: object, headers?: Record<string, string>) =>
  call('POST', `${server}/api/chat`, { prompt: 'look', steps, ...body }, { token, headers });

async function countSessions(server: string, token: string): Promise<number> {
  const { body } = await call('GET', `${server}/api/sessions?limit=200`, undefined, { token });
  return (body.sessions as unknown[]).length;
}

/** One chat, sent many times at once under one key, and once more with other words. */
export async function raceSameChat(servers: Servers, count: number) {
  const token = await newToken(servers);
  const headers = { 'idempotency-key': unique() };
  const answers = await times(count, (i) => chat(either(servers, i), token, {}, headers));
  const other = await chat(servers[1], token, { prompt: 'look away' }, headers);
  return {
    statuses: statusesOf(answers),
    tasks: distinct(answers, 'task_id'),
    sessions: await countSessions(servers[0], token),
    otherBody: other.status,
  };
}

/** Many chats of one user at once, each in a session of its own: how many are taken. */
export async function raceTaskQuota(servers: Servers, count: number) {
  const token = await newToken(servers);
  const answers = await times(count, (i) => chat(either(servers, i), token, {}));
  return {
    statuses: statusesOf(answers),
    tasks: distinct(answers, 'task_id'),
    sessions: await countSessions(servers[1], token),
    withRetryAfter: answers.filter(({ headers }) => Number(headers['retry-after']) > 0).length,
  };
}

/** Many sessions of one user at once. */
export async function raceSessionQuota(servers: Servers, count: number) {
  const token = await newToken(servers);
  const answers = await times(count, (i) => call('POST', `${either(servers, i)}/api/sessions`, {}, { token }));
  return { statuses: statusesOf(answers), sessions: await countSessions(servers[1], token) };
}

/** One task is cancelled by many at once: one of them did it. */
export async function raceCancel(servers: Servers, { rounds, clients }: { rounds: number; clients: number }) {
  const token = await newToken(servers);
  const totals = { rounds, done: 0, late: 0, other: 0 };
  for (let round = 0; round < rounds; round++) {
    const { body } = await chat(servers[0], token, {});
    const path = `/api/tasks/${body.task_id}/cancel`;
    const answers = await times(clients, (i) => call('POST', either(servers, i) + path, {}, { token }));
    for (const { status } of answers) totals[status === 200 ? 'done' : status === 409 ? 'late' : 'other']++;
    await call('DELETE', `${servers[1]}/api/sessions/${body.session_id}`, undefined, { token });
  }
  return totals;
}

type Status = { status: string; started_at: string | null; finished_at: string | null };

/**
 * The tasks of one session with agent and browser: what waits is cancelled, then what runs, and one is left. Then the
 * session is closed, and its browser ends.
 */
export async function cancelInTurn([server]: Servers) {
  const token = await newToken([server, server]);
  const made = await call('POST', `${server}/api/sessions`, {}, { token });
  const { id: session_id } = made.body.session as { id: string };
  const begin = async (given: object[]) =>
    String((await chat(server, token, { session_id, steps: given })).body.task_id);
  const statusOf = async (id: string) =>
    (await call('GET', `${server}/api/tasks/${id}/status`, undefined, { token })).body.status as Status;
  const cancel = async (id: string) =>
    (await call('POST', `${server}/api/tasks/${id}/cancel`, { reason: 'enough' }, { token })).status;
  const until = async (id: string, wanted: string) => {
    const late = AbortSignal.timeout(30_000);
    while ((await statusOf(id)).status !== wanted) await sleep(20, undefined, { signal: late });
  };

  // Longer than all the rest takes, and within what a host gives one step.
  const running = await begin([{ action: 'wait', for: { secs: 12 } }]);
  const waiting = await begin(steps);
  const last = await begin(steps);
  await until(running, 'running');
  // Into the middle of its step.
  await sleep(1500);
  const codes = [await cancel(waiting), await cancel(running)];
  await until(last, 'success');
  codes.push(await cancel(running), await cancel(waiting), await cancel(last));
  const [one, other, next] = await Promise.all([running, waiting, last].map(statusOf));
  const sessionOf = async () => {
    const { body } = await call('GET', `${server}/api/sessions`, undefined, { token });
    return (body.sessions as { status: string; browser: string }[])[0];
  };
  const before = await sessionOf();
  await call('DELETE', `${server}/api/sessions/${session_id}`, undefined, { token });
  const late = AbortSignal.timeout(10_000);
  while ((await sessionOf())?.browser !== 'cold') await sleep(20, undefined, { signal: late });
  return {
    codes,
    statuses: [one?.status, other?.status, next?.status],
    skippedWithoutStart: other?.started_at === null,
    nextBeganAfterMs: Date.parse(next?.started_at ?? '') - Date.parse(one?.finished_at ?? ''),
    sessions: [before, await sessionOf()].map((session) => `${session?.status} ${session?.browser}`),
  };
}
