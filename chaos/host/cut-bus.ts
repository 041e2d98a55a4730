// The host's connections to the bus are cut for 0.3 to 10 s while viewers watch. No Chromium may stay at the host that no
// row knows of, and no running step may be cut because of a viewer.

import { readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, createClient } from '@pilothouse/sdk';
import pg from 'pg';
import { startBusProxy } from '../../testkit/bus-proxy.ts';
import { listen } from '../../testkit/listen.ts';
import { createRandom, type Random } from '../../testkit/random.ts';
import { freePort } from '../../testkit/stack/ports.ts';
import type { Stack } from '../../testkit/stack/stack.ts';
import { until } from '../../testkit/until.ts';

export type CutBusResult = {
  cuts: number;
  /** Cuts that are shorter than the patience of an agent. */
  short_cuts: number;
  /** Browsers at the host whose row does not name it, some time after a cut. */
  leaked: string[];
  /** Browsers of running tasks that were given up because a viewer's server did not reach the host. */
  given_up_while_running: number;
  /** Running steps that a short cut interrupted. */
  interrupted_by_short_cuts: number;
  interrupted_by_long_cuts: number;
  /** Browsers that an agent gave up for a viewer of an idle session: without any, nothing was tried. */
  given_up: number;
  chromium_left: number;
};

const part = 'browser-1';
/** An agent asks a silent host for a bit more than a second; the host needs a moment to connect again. */
const shortMs = { from: 300, to: 800 };
const longestMs = 10_000;
/** A heartbeat, and a look of an agent, on a busy machine. */
const settleMs = 30_000;

const page = `<!doctype html><title>Watched</title><h1>0</h1>
<script>let n = 0; setInterval(() => { document.querySelector('h1').textContent = n++ }, 200)</script>`;

export async function cutBus({ stack, cuts, seed }: { stack: Stack; cuts: number; seed: number }) {
  const random = createRandom(seed);
  const site = await listen(
    createServer((_, response) => void response.setHeader('content-type', 'text/html').end(page)),
  );
  const proxy = await startBusProxy();
  const warmBefore = process.env.HOST_WARM;
  process.env.HOST_WARM = '0';
  const stopping = new AbortController();
  try {
    const port = await freePort();
    const busUrlOf = (name: string, url: string) => (name === part ? proxy.to(url) : url);
    await stack.up({ port, servers: 1, agents: 2, browsers: 1, disableAuth: true, sites: [site.url], busUrlOf });
    const database = new pg.Client(stack.services.databaseUrl());
    await database.connect();
    const client = createClient({ baseUrl: `http://127.0.0.1:${port}` });
    try {
      return await cutAll({ stack, client, database, proxy, random, url: site.url, signal: stopping.signal }, cuts);
    } finally {
      stopping.abort();
      await database.end();
    }
  } finally {
    if (warmBefore === undefined) delete process.env.HOST_WARM;
    else process.env.HOST_WARM = warmBefore;
    await Promise.all([site.close(), proxy.close()]);
  }
}

type Parts = {
  stack: Stack;
  client: Client;
  database: pg.Client;
  proxy: Awaited<ReturnType<typeof startBusProxy>>;
  random: Random;
  url: string;
  signal: AbortSignal;
};

async function cutAll(parts: Parts, cuts: number): Promise<CutBusResult> {
  const { stack, client, proxy, random } = parts;
  const result: CutBusResult = {
    cuts: 0,
    short_cuts: 0,
    leaked: [],
    given_up_while_running: 0,
    interrupted_by_short_cuts: 0,
    interrupted_by_long_cuts: 0,
    given_up: 0,
    chromium_left: 0,
  };
  const [idle, busy] = await Promise.all([openWatched(parts), openWatched(parts)]);
  for (; result.cuts < cuts; result.cuts += 1) {
    await Promise.all([idle.rest(), busy.work()]);
    const before = await busy.interrupted();
    const isShort = result.cuts % 2 === 0;
    const ms = isShort ? random.between(shortMs.from, shortMs.to) : random.between(shortMs.to, longestMs);
    await proxy.cut(ms);
    const leaks = await leaksAfter(parts);
    for (const leak of leaks) result.leaked.push(`${leak} after ${Math.round(ms)} ms`);
    const interrupted = (await busy.interrupted()) - before;
    if (isShort) result.short_cuts += 1;
    result[isShort ? 'interrupted_by_short_cuts' : 'interrupted_by_long_cuts'] += interrupted;
  }
  result.given_up_while_running = await busy.givenUpWhileRunning();
  result.given_up = await idle.givenUp();
  for (const { id } of [idle, busy]) await client.deleteSession({ id });
  const pids = () => chromiumsOf(stack);
  await until(async () => (await pids()).length === 0, settleMs).catch(() => {});
  result.chromium_left = (await pids()).length;
  return result;
}

/** A session with a viewer, for tasks that rest or work in it. */
async function openWatched({ client, database, url, signal }: Parts) {
  const { session } = await client.createSession();
  const { id } = session;
  const watching = (async () => {
    for await (const _ of client.followSession({ id }, { signal }));
  })();
  watching.catch(() => {});
  let taskId: string | undefined;
  const statusOf = async () => (taskId === undefined ? undefined : (await client.getTaskStatus({ id: taskId })).status);
  const count = async (text: string) => {
    const { rows } = await database.query<{ count: number }>(text, [id]);
    return rows[0]?.count ?? 0;
  };
  const hasBrowser = async () => (await client.getSession({ id })).snapshot.session.browser === 'live';

  return {
    id,
    /** Its browser is open and at rest. */
    async rest(): Promise<void> {
      const { task_id } = await client.sendChat({
        session_id: id,
        prompt: 'rest',
        steps: [{ action: 'navigate', url }],
      });
      await until(async () => (await client.getTaskStatus({ id: task_id })).status.status === 'success', 60_000);
      await until(hasBrowser, settleMs);
    },
    /** A task of it has a step under way that does not end. */
    async work(): Promise<void> {
      const present = await statusOf();
      if (present?.status !== 'running') {
        const steps = [
          { action: 'navigate', url },
          { action: 'wait', for: { text: 'Never said' }, timeout_secs: 600 },
        ] as const;
        taskId = (await client.sendChat({ session_id: id, prompt: 'work', steps: [...steps] })).task_id;
      }
      await until(async () => {
        const status = await statusOf();
        return status?.status === 'running' && status.current_step === 2 && (await hasBrowser());
      }, 60_000);
    },
    interrupted: () =>
      count(`select count(*)::int as count from steps s join tasks t on t.id = s.task_id
             where t.session_id = $1 and s.status = 'interrupted'`),
    givenUp: () =>
      count(`select count(*)::int as count from events where session_id = $1 and kind = 'log'
             and data -> 'log' ->> 'message' like 'The browser is gone%'`),
    /** Between two steps of one task. A task that a cut ended leaves an idle session, whose browser may be given up. */
    givenUpWhileRunning: () =>
      count(`select count(*)::int as count from events e where e.session_id = $1 and e.kind = 'log'
             and e.data -> 'log' ->> 'message' like 'The browser is gone%'
             and exists (select from events before join events later using (session_id, task_id)
                         where before.session_id = $1 and before.kind = 'step' and before.seq < e.seq
                           and later.kind = 'step' and later.seq > e.seq)`),
  };
}

/** Waits until the host holds what the rows say and nothing else; returns the sessions that it holds beside. */
async function leaksAfter({ database }: Parts): Promise<string[]> {
  const leaks = async () => {
    const { rows } = await database.query<{ session_id: string }>(
      `select s.session_id from hosts h cross join lateral jsonb_to_recordset(h.sessions) as s(session_id uuid)
       left join browsers b on b.session_id = s.session_id and b.host_id = h.id and b.boot_id = h.boot_id
       where h.id = $1 and b.session_id is null`,
      [part],
    );
    return rows.map(({ session_id }) => session_id);
  };
  const heardAt = Date.now();
  const hasBeaten = async () => {
    const { rows } = await database.query('select from hosts where id = $1 and seen_at > $2 and lease_until > now()', [
      part,
      new Date(heardAt),
    ]);
    return rows.length > 0;
  };
  await until(hasBeaten, settleMs);
  await until(async () => (await leaks()).length === 0, settleMs).catch(() => {});
  // What an agent gives up later, by a message from the time of the cut, is seen after the next cut.
  await sleep(200);
  return leaks();
}

/** The browsers of the host, by the users that it gives them. */
async function chromiumsOf(stack: Stack): Promise<number[]> {
  const firstUid = (stack.status().processes[part]?.ops_port ?? 0) * 1000;
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
      const uid = Number(/^Uid:\s+(\d+)/m.exec(status)?.[1]);
      return uid >= firstUid && uid < firstUid + 1000 && !/^State:\s+Z/m.test(status) ? Number(pid) : undefined;
    }),
  );
  return found.filter((pid) => pid !== undefined);
}
