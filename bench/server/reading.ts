import { createClient } from '@pilothouse/sdk';
import { nthTask, seedSessions, seedTasks } from '../../apps/server/testing/many.ts';
import { startTestServer, type TestServer } from '../../apps/server/testing/server.ts';
import { withServices } from '../../testkit/stack/with-services.ts';
import { type Asker, createAsker } from './load.ts';

export type ReadingPlan = {
  /** How many tasks the one database holds and how many the other; and so with the sessions of two users. */
  tasks: { few: number; many: number };
  sessions: { few: number; many: number };
  /** How many answers are measured of each side. */
  requests: number;
};
type Ask = () => Promise<unknown>;
type Times = { p50_ms: number; p99_ms: number };
export type Comparison = { few: Times; many: Times; ratio: { p50: number; p99: number } };

const password = 'correct horse battery';
/** On a busy machine it takes longer than a token lives. */
const longer = { accessSecs: 86_400, refreshIdleSecs: 86_400, loginSecs: 86_400 };

/**
 * How long a status and the first page of a list take with few and with many rows stored: the real interface over HTTP with a login, one
 * request at a time, the two sides in turn. Each status is that of any task, not of one that everybody looks at.
 */
export async function measureReading({ tasks, sessions, requests }: ReadingPlan) {
  const options = { isAuthDisabled: false, checksReplies: false, lifetimes: longer };
  const few = await startTestServer(options);
  const many = await startTestServer(options);
  const askers: Asker[] = [];
  try {
    const withTasks = async (server: TestServer, count: number) => {
      const { id, asker } = await newUser(server, 'ada');
      askers.push(asker);
      await seedTasks(server.databaseUrl, id, count);
      const anyTask = () => nthTask(Math.floor(Math.random() * count));
      return { status: () => asker.ask(`/api/tasks/${anyTask()}/status`), list: () => asker.ask('/api/tasks') };
    };
    const withSessions = async (name: string, count: number, first: number): Promise<Ask> => {
      const { id, asker } = await newUser(few, name);
      askers.push(asker);
      await seedSessions(few.databaseUrl, id, count, first);
      return () => asker.ask('/api/sessions');
    };
    const ofFew = await withTasks(few, tasks.few);
    const ofMany = await withTasks(many, tasks.many);
    // Two users of one database, behind the sessions that the tasks are in.
    const sessionsOfFew = await withSessions('bea', sessions.few, tasks.few);
    const sessionsOfMany = await withSessions('cleo', sessions.many, tasks.few + sessions.few);
    return {
      requests,
      tasks,
      status: await compare(ofFew.status, ofMany.status, requests),
      list_tasks: await compare(ofFew.list, ofMany.list, requests),
      sessions,
      list_sessions: await compare(sessionsOfFew, sessionsOfMany, requests),
    };
  } finally {
    for (const asker of askers) asker.close();
    await Promise.all([few.close(), many.close()]);
  }
}

/** The same on a PostgreSQL of its own, which is gone afterwards. */
export const measureReadingAlone = (plan: ReadingPlan) =>
  withServices(`bench-reading-${process.pid}`, async (services) => {
    await services.start('postgres');
    process.env.TEST_DATABASE_URL = services.adminDatabaseUrl();
    return measureReading(plan);
  });

async function newUser({ baseUrl, client }: TestServer, username: string): Promise<{ id: string; asker: Asker }> {
  const { user } = await client.register({ username, email: `${username}@example.test`, password });
  const { access_token } = await createClient({ baseUrl }).login({ username_or_email: username, password });
  return { id: user.id, asker: createAsker(baseUrl, access_token) };
}

async function compare(few: Ask, many: Ask, requests: number): Promise<Comparison> {
  // The compiler, the connections and the prepared statements of both settle first.
  for (let i = 0; i < requests / 4; i++) await Promise.all([few(), many()]);
  const times = { few: [] as number[], many: [] as number[] };
  for (let i = 0; i < requests; i++) {
    // Neither is always the one that comes after the other.
    for (const side of i % 2 === 0 ? (['few', 'many'] as const) : (['many', 'few'] as const)) {
      const startedAt = performance.now();
      await (side === 'few' ? few : many)();
      times[side].push(performance.now() - startedAt);
    }
  }
  const told = { few: timesOf(times.few), many: timesOf(times.many) };
  const ratio = (name: keyof Times) => Math.round((told.many[name] / told.few[name]) * 100) / 100;
  return { ...told, ratio: { p50: ratio('p50_ms'), p99: ratio('p99_ms') } };
}

function timesOf(times: number[]): Times {
  const sorted = times.toSorted((a, b) => a - b);
  const place = (share: number) => sorted[Math.floor(share * sorted.length)] ?? Number.NaN;
  const told = (value: number) => Math.round(value * 1000) / 1000;
  return { p50_ms: told(place(0.5)), p99_ms: told(place(0.99)) };
}
