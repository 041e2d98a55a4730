// Every part is killed while a person watches a task in the console, and while they drive and type. The page goes on by
// itself: it is not loaded again, says nothing in red, and what was typed arrives once and in order.

import { createClient } from '@pilothouse/sdk';
import pg from 'pg';
import { launchBrowser } from '../../testkit/console/console-page.ts';
import { startTickingForm } from '../../testkit/pages/ticking-form.ts';
import { figuresOf } from '../../testkit/percentiles.ts';
import { createRandom } from '../../testkit/random.ts';
import { freePort } from '../../testkit/stack/ports.ts';
import type { Stack } from '../../testkit/stack/stack.ts';
import { driveThrough } from './drive.ts';
import { partNames, shots } from './shooting.ts';
import { watchThrough } from './watch.ts';

type Options = { stack: Stack; seed: number; count: number; parts?: readonly string[] };

export async function shootWhileShown({ stack, seed, count, parts }: Options) {
  const [port, site, browser] = await Promise.all([freePort(), startTickingForm(), launchBrowser()]);
  try {
    await stack.up({ port, servers: 1, agents: 1, browsers: 1, disableAuth: true, sites: [site.url] });
    const baseUrl = `http://127.0.0.1:${port}`;
    const client = createClient({ baseUrl });
    const savedState = (sessionId: string) => stateOf(stack, sessionId);
    const common = { browser, baseUrl, site, client, savedState, random: createRandom(seed) };
    const wrong: string[] = [];
    const met: Record<string, object> = {};
    for (const part of partNames.filter((name) => parts?.includes(name) ?? true)) {
      const shoot = async () => {
        await stack.kill(shots[part]);
        await stack.start(shots[part]);
      };
      for (const [way, through] of Object.entries({ watched: watchThrough, driven: driveThrough })) {
        const rounds = await through({ part, ...common, shoot }, count);
        wrong.push(...rounds.flatMap((round) => round.wrong.map((what) => `${part}, ${way}: ${what}`)));
        met[`${part}_${way}`] = {
          rounds: rounds.length,
          goes_on_ms: figuresOf(rounds.map(({ goesOnMs }) => goesOnMs)),
        };
        console.error(JSON.stringify({ [`${part}_${way}`]: met[`${part}_${way}`], wrong }));
      }
    }
    return { wrong, met };
  } finally {
    await browser.close();
    await site.close();
  }
}

async function stateOf(stack: Stack, sessionId: string): Promise<string | undefined> {
  const db = new pg.Client(stack.services.databaseUrl());
  await db.connect();
  try {
    const text = `select md5(coalesce(state::text, sealed_state::text)) as saved from browsers where session_id = $1`;
    return (await db.query<{ saved: string }>(text, [sessionId])).rows[0]?.saved;
  } finally {
    await db.end();
  }
}
