// Server, host and NATS are killed while a program drives. At the same address, with the same key, it finds its pages and its
// login again, and goes on.

import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, createClient } from '@pilothouse/sdk';
import pg from 'pg';
import { type Browser, chromium, type Page } from 'playwright-core';
import { whenFree } from '../../testkit/cdp/when-free.ts';
import { listen } from '../../testkit/listen.ts';
import { createRandom, type Random } from '../../testkit/random.ts';
import { freePort } from '../../testkit/stack/ports.ts';
import type { Stack } from '../../testkit/stack/stack.ts';
import { until } from '../../testkit/until.ts';
import { spreadOf } from './spread.ts';

type Options = { stack: Stack; seed: number; kills: number };
const parts = { server: 'server-1', host: 'browser-1', nats: 'nats' } as const;
type Part = keyof typeof parts;
export const killedParts = Object.keys(parts) as Part[];

const password = 'a long password of a test';
const backMs = 60_000;
/** How soon it should be back once the part is ready again. */
const boundMs = 5000;
const connectMs = 15_000;
const actMs = 3000;

export async function killWhileDriven({ stack, seed, kills }: Options) {
  const site = await startLoginSite();
  try {
    const port = await freePort();
    await stack.up({ port, servers: 1, agents: 1, browsers: 1, disableAuth: false, sites: [site.url] });
    const anybody = createClient({ baseUrl: `http://127.0.0.1:${port}` });
    await anybody.register({ username: 'ann', email: 'ann@example.test', password });
    const { access_token: token } = await anybody.login({ username_or_email: 'ann', password });
    const client = createClient({ baseUrl: `http://127.0.0.1:${port}`, token: () => token });
    const program = await startProgram(client, site.url);
    await until(() => isSaved(stack, program.id), backMs);
    const wrong: string[] = [];
    const times: Record<Part, { sinceKill: number[]; sinceReady: number[] }> = {
      server: { sinceKill: [], sinceReady: [] },
      host: { sinceKill: [], sinceReady: [] },
      nats: { sinceKill: [], sinceReady: [] },
    };
    const random = createRandom(seed);
    for (let n = 0; n < kills; n += 1) {
      const part = killedParts[n % killedParts.length] ?? 'server';
      const met = await killOnce(part, { stack, program, random });
      if (met.wrong) wrong.push(`${part}, kill ${n}: ${met.wrong}`);
      times[part].sinceKill.push(met.sinceKill);
      times[part].sinceReady.push(met.sinceReady);
      console.error(JSON.stringify({ n, part, ...met }));
    }
    await program.close();
    const met = Object.fromEntries(
      killedParts.map((part) => [
        part,
        { back_ms_since_kill: spreadOf(times[part].sinceKill), back_ms_since_ready: spreadOf(times[part].sinceReady) },
      ]),
    );
    const slow = killedParts.flatMap((part) => times[part].sinceReady).filter((ms) => ms > boundMs).length;
    return { wrong, kills, beyond_5_s: slow, reconnected: program.reconnected(), ...met };
  } finally {
    await site.close();
  }
}

type Program = Awaited<ReturnType<typeof startProgram>>;

async function killOnce(part: Part, { stack, program, random }: { stack: Stack; program: Program; random: Random }) {
  const stopActing = program.act();
  await sleep(random.between(50, 600));
  const killed = performance.now();
  await stack.kill(parts[part]);
  await stopActing();
  await stack.start(parts[part]);
  const ready = performance.now();
  let lastWrong = 'it never connected';
  const isBack = async () => {
    const found = await program.look().catch((error: unknown) => String(error).split('\n')[0] ?? 'failed');
    lastWrong = found ?? '';
    return found === undefined;
  };
  const wrong = await until(isBack, backMs).then(
    () => undefined,
    () => lastWrong,
  );
  const now = performance.now();
  return { wrong, sinceKill: Math.round(now - killed), sinceReady: Math.round(now - ready) };
}

/** Playwright at one address, with a key, logged in at the site. */
async function startProgram(client: Client, url: string) {
  const { session } = await client.createSession();
  const { id } = session;
  const { cdp } = await client.openProgramAccess({ id });
  const { key } = await client.createKey({ label: 'a program' });
  const headers = { authorization: `Bearer ${key.key_token}` };
  let connections = 0;
  let browser: Browser | undefined;

  async function page(): Promise<Page> {
    if (!browser?.isConnected()) {
      browser = await chromium.connectOverCDP(cdp.http_url, { timeout: connectMs, headers });
      connections += 1;
    }
    const found = browser.contexts()[0]?.pages()[0];
    if (!found) throw new Error('the page is not there');
    found.setDefaultTimeout(actMs);
    return found;
  }
  await whenFree(async () => (await page()).goto(`${url}/login`));

  return {
    id,
    reconnected: () => connections - 1,
    /** Clicks without pause until it is stopped. It may fail at any moment. */
    act() {
      let isStopped = false;
      const acting = (async () => {
        const tab = await page();
        while (!isStopped) await tab.locator('button').click();
      })().catch(() => undefined);
      return async () => {
        isStopped = true;
        await acting;
      };
    },
    /** Undefined where the page is there, with its login, and takes a click; else what is wrong. */
    async look(): Promise<string | undefined> {
      const tab = await page();
      if (tab.url() !== `${url}/`) return `the page is at ${tab.url()}`;
      const said = await tab.locator('h1').textContent();
      if (said !== 'In') return `the login is ${said}`;
      await tab.locator('button').click();
      return undefined;
    },
    async close(): Promise<void> {
      await browser?.close();
      await client.deleteSession({ id });
    },
  };
}

/** A site with a login that a cookie holds. */
function startLoginSite() {
  return listen(
    createServer(({ url, headers }, response) => {
      if (url === '/login')
        return void response.writeHead(302, { location: '/', 'set-cookie': 'in=1; Max-Age=86400' }).end();
      const isIn = headers.cookie?.includes('in=1');
      response.setHeader('content-type', 'text/html');
      response.end(`<!doctype html><title>Desk</title><h1>${isIn ? 'In' : 'Out'}</h1><button>Press</button>`);
    }),
  );
}

/** A browser that is lost comes back as it was saved last. */
async function isSaved(stack: Stack, sessionId: string): Promise<boolean> {
  const db = new pg.Client(stack.services.databaseUrl());
  await db.connect();
  try {
    const text = `select from browsers where session_id = $1 and coalesce(state::text, sealed_state::text) is not null`;
    return (await db.query(text, [sessionId])).rows.length > 0;
  } finally {
    await db.end();
  }
}
