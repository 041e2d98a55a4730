import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createClient } from '@pilothouse/sdk';
import { commonEnvironment } from '@pilothouse/stack/services/environment';
import pg from 'pg';
import { figuresOf, ratio } from '../../testkit/percentiles.ts';
import { freePort } from '../../testkit/stack/ports.ts';
import { createStack, type Stack } from '../../testkit/stack/stack.ts';
import { type Asker, connections, cpuMs, createAsker } from './load.ts';

type Plan = { rounds: number; requests: number; warmUp?: number };
type Side = { pid: number; asker: Asker };
type Round = { cpuUs: number; perSecond: number };

/** Enough for the compiler of either to have settled. */
const usualWarmUp = 2000;
const sessionCount = 20;
const reads = { me: '/api/auth/me', sessions: `/api/sessions?limit=${sessionCount}` };
const poolSize = '10';

/**
 * What a protected read costs the server's process, beside a bare `node:http` and `pg` server that sends the same
 * queries and answers the same, on the same database. Taken in turn, in many short rounds, so that both have the same
 * weather. The bare one logs nothing, so the figure to compare is the quiet one; the other says what a line a request costs on top.
 */
export async function measureAuth(plan: Plan) {
  const stack = createStack(`bench-auth-${process.pid}`);
  const down = () => stack.down({ wipe: true });
  // The processes of a stack outlive the process that started them.
  const interrupt = () => void down().finally(() => process.exit(130));
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  try {
    delete process.env.DISABLE_AUTH;
    process.env.DATABASE_POOL_SIZE = poolSize;
    process.env.LOG_LEVEL = 'warn';
    const port = await freePort();
    await stack.up({ port, servers: 1, agents: 0, browsers: 0, disableAuth: false });
    const baseUrl = `http://127.0.0.1:${port}`;
    const token = await prepareUser(baseUrl);
    const quiet = await measureBoth(stack, baseUrl, token, plan);
    process.env.LOG_LEVEL = 'info';
    await stack.kill('server-1', 'SIGTERM');
    await stack.start('server-1');
    const logging = await measureBoth(stack, baseUrl, token, plan);
    return { connections, ...plan, cpu_us_per_request: { log_level_warn: quiet, log_level_info: logging } };
  } finally {
    await down();
  }
}

/** Somebody with a page full of sessions; the answer is the token to ask with. */
async function prepareUser(baseUrl: string): Promise<string> {
  const user = { username: 'ada', email: 'ada@example.com', password: 'correct horse battery' };
  const guest = createClient({ baseUrl });
  await guest.register(user);
  const { access_token } = await guest.login({ username_or_email: user.username, password: user.password });
  const client = createClient({ baseUrl, token: () => access_token });
  for (let i = 1; i <= sessionCount; i++) await client.createSession({ title: `session ${i}` });
  return access_token;
}

async function measureBoth(stack: Stack, baseUrl: string, token: string, plan: Plan) {
  const databaseUrl = stack.services.databaseUrl();
  const pid = stack.status().processes['server-1']?.pid;
  if (!pid) throw new Error('the server is not running');
  const bareServer = await startBare(databaseUrl);
  const ours: Side = { pid, asker: createAsker(baseUrl, token) };
  const bare: Side = { pid: bareServer.pid, asker: createAsker(bareServer.baseUrl, token) };
  try {
    await requireSameWork(databaseUrl, ours.asker, bare.asker);
    return {
      me: await measureRead(ours, bare, reads.me, plan),
      sessions: await measureRead(ours, bare, reads.sessions, plan),
    };
  } finally {
    ours.asker.close();
    bare.asker.close();
    bareServer.close();
  }
}

async function measureRead(ours: Side, bare: Side, path: string, { rounds, requests, warmUp = usualWarmUp }: Plan) {
  const taken = { ours: [] as Round[], bare: [] as Round[] };
  await ours.asker.askMany(path, warmUp);
  await bare.asker.askMany(path, warmUp);
  for (let i = 0; i < rounds; i++) {
    // Neither is always the one that comes after the other.
    for (const side of i % 2 === 0 ? (['ours', 'bare'] as const) : (['bare', 'ours'] as const)) {
      taken[side].push(await takeRound(side === 'ours' ? ours : bare, path, requests));
    }
  }
  const cpuOf = (list: Round[]) => figuresOf(list.map(({ cpuUs }) => cpuUs));
  const speedOf = (list: Round[]) => Math.round(figuresOf(list.map(({ perSecond }) => perSecond)).p50);
  const cpu = { ours: cpuOf(taken.ours), bare: cpuOf(taken.bare) };
  return {
    ...cpu,
    ratio: ratio(cpu.ours, cpu.bare),
    requests_per_second: { ours: speedOf(taken.ours), bare: speedOf(taken.bare) },
  };
}

async function takeRound({ pid, asker }: Side, path: string, requests: number): Promise<Round> {
  const cpuBefore = cpuMs(pid);
  const startedAt = performance.now();
  await asker.askMany(path, requests);
  const tookMs = performance.now() - startedAt;
  return { cpuUs: ((cpuMs(pid) - cpuBefore) * 1000) / requests, perSecond: (requests * 1000) / tookMs };
}

async function startBare(databaseUrl: string) {
  const child = fork(join(import.meta.dirname, 'bare-server.ts'), {
    env: { ...commonEnvironment(), DATABASE_URL: databaseUrl, DATABASE_POOL_SIZE: poolSize },
  });
  const ended = once(child, 'exit').then(() => Promise.reject(new Error('the bare server ended at once')));
  const [port] = await Promise.race([once(child, 'message'), ended]);
  return { pid: child.pid ?? 0, baseUrl: `http://127.0.0.1:${port}`, close: () => void child.kill('SIGKILL') };
}

/** A comparison with something that does less would flatter nobody for long: same answers, same SQL. */
async function requireSameWork(databaseUrl: string, ours: Asker, bare: Asker): Promise<void> {
  const database = new pg.Client({ connectionString: databaseUrl });
  await database.connect();
  try {
    for (const path of Object.values(reads)) {
      const expected = await bare.ask(path);
      const [{ query, now }] = (
        await database.query(`select query, clock_timestamp() as now from pg_stat_activity
          where application_name = 'bare' order by query_start desc limit 1`)
      ).rows;
      const { body, headers } = await ours.ask(path);
      assert.equal(body, expected.body, `the answers to ${path} differ`);
      for (const name of ['content-type', 'content-length', 'cache-control', 'x-content-type-options', 'connection']) {
        assert.equal(headers[name], expected.headers[name], `the ${name} of ${path} differs`);
      }
      const { rows } = await database.query(
        `select query from pg_stat_activity where application_name <> 'bare' and query_start >= $1`,
        [now],
      );
      const sent = rows.map((row) => oneLine(row.query));
      assert.ok(
        sent.some((one) => isSame(one, oneLine(query))),
        `for ${path} ours sent other SQL than bare-server.ts: ${sent.join('; ')}`,
      );
    }
  } finally {
    await database.end();
  }
}

/** PostgreSQL tells the first 1,024 bytes of a statement, and ours is indented otherwise: the shorter of both decides. */
const isSame = (one: string, other: string) =>
  one.length < other.length ? other.startsWith(one) : one.startsWith(other);
const oneLine = (sql: string) => sql.replace(/\s+/g, ' ').trimEnd();
