// Every part is shot while a person drives, again and again. They keep the wheel, or have it under a new epoch that is on
// record; each of their presses arrives once, and they go on.

import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, createClient } from '@pilothouse/sdk';
import pg from 'pg';
import { places, type SharedForm, startSharedForm } from '../../testkit/pages/shared-form.ts';
import { figuresOf } from '../../testkit/percentiles.ts';
import { createRandom, type Random } from '../../testkit/random.ts';
import { freePort } from '../../testkit/stack/ports.ts';
import type { Stack } from '../../testkit/stack/stack.ts';

export type KillsOptions = { stack: Stack; seed: number; rounds: number };
type Part = keyof typeof shots;

/** What may be shot, by its names in the stack. */
const shots = {
  server: ['server-1', 'server-2'],
  agent: ['agent-1', 'agent-2'],
  host: ['browser-1', 'browser-2'],
  nats: ['nats'],
  postgres: ['postgres'],
} as const;
export const partNames = Object.keys(shots) as Part[];

const goOnMs = 30_000;
const tryMs = 5000;

export async function shootWhileDriven({ stack, seed, rounds }: KillsOptions) {
  const [port, site] = await Promise.all([freePort(), startSharedForm()]);
  try {
    await stack.up({ port, servers: 2, agents: 2, browsers: 2, disableAuth: true, sites: [site.url] });
    const clients = stack.status().base_urls.map((baseUrl) => createClient({ baseUrl }));
    const random = createRandom(seed);
    const parts: Record<string, object> = {};
    const wrong: string[] = [];
    for (const part of partNames) parts[part] = await shoot(part, { stack, site, clients, random, rounds, wrong });
    return { wrong, parts };
  } finally {
    await site.close();
  }
}

type Parts = { stack: Stack; site: SharedForm; clients: Client[]; random: Random; rounds: number; wrong: string[] };

async function shoot(part: Part, { stack, site, clients, random, rounds, wrong }: Parts) {
  const until = async <T>(what: string, ask: () => Promise<T | undefined | false>): Promise<T> => {
    const deadline = performance.now() + goOnMs;
    for (;;) {
      // Whoever is asked may be dead at this moment.
      const found = await ask().catch(() => undefined);
      if (found) return found;
      if (performance.now() > deadline) throw new Error(`${part}: not ${what} within ${goOnMs} ms`);
      await sleep(25);
    }
  };
  const anyOf = async <T>(ask: (client: Client) => Promise<T>): Promise<T> => {
    const [first, second] = random.is(0.5) ? clients : clients.toReversed();
    if (!first || !second) throw new Error('two servers are needed');
    return ask(first).catch(() => ask(second));
  };
  const { session } = await anyOf((client) => client.createSession());
  const { id } = session;
  await anyOf((client) => client.requestSessionTakeover({ id, expires_in_secs: 600 }));
  const standing = () => anyOf(async (client) => (await client.getSession({ id })).snapshot.takeover);
  let takeover = await until('active', async () => {
    const found = await standing();
    return found?.status === 'active' && found;
  });
  const takeoverId = takeover.takeover_id;
  let seq = 0;
  let pressed = 0;
  let unknown = 0;
  const begun = Date.now();
  const touched = (kind: string, since = begun) => site.touches.filter((one) => one.kind === kind && one.at >= since);

  /** Until it is heard; done once however often it is sent. */
  async function insist(action: { action: 'click'; x: number; y: number } | { action: 'navigate'; url: string }) {
    seq += 1;
    const input = { id, ...action, takeover_id: takeoverId, input_seq: seq };
    const outcome = await until(`done (${seq})`, async () => {
      const answer = await anyOf((client) => client.movePointer(input, { timeoutMs: tryMs })).catch(() => undefined);
      if (answer) return { isDone: true };
      const now = await standing();
      return now && now.epoch > takeover.epoch ? { isDone: false, now } : undefined;
    });
    if (outcome.now) [takeover, seq] = [outcome.now, 0];
    return outcome.isDone;
  }
  /** Where the browser was lost meanwhile, nobody knows of the last one: they go there again, and press again. */
  const press = async () => {
    while (!(await insist({ action: 'click', ...places.mine }))) {
      unknown += 1;
      await goThere();
    }
    pressed += 1;
  };
  /** As a person does: they see the page before they touch it. */
  async function goThere() {
    const since = Date.now();
    while (!(await insist({ action: 'navigate', url: site.url })));
    await until('there', async () => {
      if (touched('ready', since).length > 0) return true;
      // Lost once more on its way.
      const now = await standing();
      if (!now || now.epoch === takeover.epoch) return false;
      [takeover, seq] = [now, 0];
      return void (await insist({ action: 'navigate', url: site.url }));
    });
  }

  await goThere();
  const tookMs: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    await press();
    const name = part === 'host' ? await hostOf(stack, id) : random.pick([...shots[part]]);
    const { epoch } = takeover;
    if (part === 'host') {
      // The page tells of it a moment later, and dies with the host.
      await until('heard of', async () => touched('person').length >= pressed);
      await stack.kill(name);
      const at = performance.now();
      await stack.start(name);
      // What they had in hand is gone with the browser: they are told a new epoch, and count from one again.
      takeover = await until('open again', async () => {
        const found = await standing();
        return found?.status === 'active' && found.epoch > epoch && found;
      });
      seq = 0;
      await goThere();
      await press();
      tookMs.push(performance.now() - at);
    } else {
      const at = performance.now();
      const pressing = sleep(random.between(0, 30)).then(press);
      await sleep(random.between(0, 30));
      await stack.kill(name);
      await stack.start(name);
      await pressing;
      tookMs.push(performance.now() - at);
    }
    const now = await until('told', async () => (await standing()) ?? undefined);
    if (now.status !== 'active' || now.takeover_id !== takeoverId)
      wrong.push(`${part} ${round}: the wheel is ${now.status}`);
    // Another may have been opened meanwhile, for a host that lost the bus for too long.
    if (now.epoch !== takeover.epoch) {
      [takeover, seq] = [now, 0];
      await goThere();
    }
  }
  await until('all pressed', async () => touched('person').length >= pressed);
  await sleep(300);
  const arrived = touched('person').length;
  if (arrived < pressed || arrived > pressed + unknown) wrong.push(`${part}: ${pressed} presses, ${arrived} arrived`);
  const epochs = await epochsOf(stack, id);
  // Each under which they drove is on record.
  if (!epochs.has(takeover.epoch) || (part === 'host' && epochs.size < rounds + 1))
    wrong.push(`${part}: ${epochs.size} epochs on record, now ${takeover.epoch}`);
  await anyOf((client) => client.resumeSessionTakeover({ id }));
  await anyOf((client) => client.deleteSession({ id }));
  return { rounds, pressed, unknown, epochs: epochs.size, goes_on_ms: figuresOf(tookMs) };
}

async function hostOf(stack: Stack, sessionId: string): Promise<string> {
  const rows = await query<{ host_id: string }>(stack, 'select host_id from browsers where session_id = $1', sessionId);
  return rows[0]?.host_id ?? 'browser-1';
}

/** Under which the wheel was held, by what everybody was told. */
async function epochsOf(stack: Stack, sessionId: string): Promise<Set<number>> {
  const told = `select data -> 'takeover' ->> 'epoch' as epoch from events
                where session_id = $1 and kind = 'takeover' and data -> 'takeover' ->> 'status' = 'active'`;
  return new Set((await query<{ epoch: string }>(stack, told, sessionId)).map(({ epoch }) => Number(epoch)));
}

async function query<Row extends pg.QueryResultRow>(stack: Stack, text: string, value: string): Promise<Row[]> {
  const client = new pg.Client(stack.services.databaseUrl());
  await client.connect();
  try {
    return (await client.query<Row>(text, [value])).rows;
  } finally {
    await client.end();
  }
}
