// Secrets typed beside frames that want them, by agents and by people: none may come to another origin than the one it was
// meant for. The same pages around frames that want nothing have to be done as ever.

import { setTimeout as sleep } from 'node:timers/promises';
import type { BodyIn, routes, Step } from '@pilothouse/contract';
import { type Client, createClient, isApiError } from '@pilothouse/sdk';
import { createRandom, type Random } from '../../testkit/random.ts';
import { freePort } from '../../testkit/stack/ports.ts';
import type { Stack } from '../../testkit/stack/stack.ts';
import { type SecretSite, startSecretSite, type Visit } from './site.ts';
import { tricks as allTricks, type Trick } from './tricks.ts';

export type SecretsOptions = {
  stack: Stack;
  seed: number;
  /** To each hostile page by each of the two, and to each honest twin. */
  secrets: number;
  honest: number;
  tricks?: string[];
  atOnce: number;
};

/** `refused`: the step or the input failed plainly, and nobody got it. `lost`: nobody got it, and nobody was told. */
export type Outcome = { done: number; refused: number; lost: number; wrong: number };
type Driver = 'agent' | 'person';
export type TrickResult = {
  trick: string;
  hostile: Record<Driver, Outcome>;
  honest: Record<Driver, Outcome>;
  told: string[];
};

export type SecretsResult = {
  seed: number;
  pages: number;
  secrets: number;
  honest: number;
  /** What came to another origin. */
  wrong: string[];
  /** Of honest pages that were not done. */
  undone: string[];
  results: TrickResult[];
};

type Hand = Extract<BodyIn<typeof routes.movePointer>, { action: string }>;
const taskMs = 60_000;
const presses = 6;

export async function stealSecrets(options: SecretsOptions): Promise<SecretsResult> {
  const { stack, seed, secrets, honest, atOnce } = options;
  const [port, site] = await Promise.all([freePort(), startSecretSite()]);
  try {
    process.env.QUOTA_OPEN_SESSIONS ??= '1000';
    await stack.up({ port, servers: 1, agents: 1, browsers: 1, disableAuth: true, sites: site.urls });
    const client = createClient({ baseUrl: `http://127.0.0.1:${port}` });
    const chosen = allTricks.filter(({ name }) => options.tricks?.includes(name) ?? true);
    const waiting = [...chosen.entries()];
    const results: TrickResult[] = [];
    const work = async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        const [index, trick] = next;
        const random = createRandom(seed + index);
        const result = await tryTrick({ client, site, random, trick }, secrets, honest);
        results.push(result);
        console.error(JSON.stringify(result));
      }
    };
    await Promise.all(Array.from({ length: atOnce }, work));
    return { seed, ...judge(results, chosen.length) };
  } finally {
    await site.close();
  }
}

function judge(results: TrickResult[], pages: number): Omit<SecretsResult, 'seed'> {
  const drivers: Driver[] = ['agent', 'person'];
  const sum = (pick: (result: TrickResult) => Outcome[]) =>
    results.flatMap(pick).reduce((all, one) => all + countOf(one), 0);
  const wrong: string[] = [];
  const undone: string[] = [];
  for (const { trick, hostile, honest } of results)
    for (const who of drivers) {
      if (hostile[who].wrong + honest[who].wrong > 0) wrong.push(`${trick}: ${hostile[who].wrong} by the ${who}`);
      const { refused, lost } = honest[who];
      if (refused + lost > 0) undone.push(`${trick}: ${refused + lost} by the ${who}`);
    }
  return {
    pages,
    secrets: sum(({ hostile }) => drivers.map((who) => hostile[who])),
    honest: sum(({ honest }) => drivers.map((who) => honest[who])),
    wrong,
    undone,
    results,
  };
}

const countOf = ({ done, refused, lost, wrong }: Outcome) => done + refused + lost + wrong;

type Trying = { client: Client; site: SecretSite; random: Random; trick: Trick };

async function tryTrick(trying: Trying, secrets: number, honest: number): Promise<TrickResult> {
  const told: string[] = [];
  const count = (): Record<Driver, Outcome> => ({
    agent: { done: 0, refused: 0, lost: 0, wrong: 0 },
    person: { done: 0, refused: 0, lost: 0, wrong: 0 },
  });
  const result: TrickResult = { trick: trying.trick.name, hostile: count(), honest: count(), told };
  const add = ({ isHostile, who, what, why }: Tried) => {
    (isHostile ? result.hostile : result.honest)[who][what] += 1;
    if (why !== undefined && (what === 'wrong' || told.length < 4))
      told.push(`${isHostile ? '' : 'honest, '}${who}: ${why}`);
  };
  const each = [...Array.from({ length: secrets }, () => true), ...Array.from({ length: honest }, () => false)];
  await byAgent(trying, each, add);
  await byPerson(trying, each, add);
  return result;
}

type Tried = { isHostile: boolean; who: Driver; what: keyof Outcome; why?: string };

/** What became of it: by what came where, and not by what anybody says. */
function whatOf(visit: Visit, secret: string, isRefused: boolean): keyof Outcome {
  // Only the secret is typed while the frame listens, and each letter of it is too much.
  const isStolen = visit.stolen.some(
    (text) => text.includes(secret) || [...text].some((letter) => secret.includes(letter)),
  );
  if (isStolen) return 'wrong';
  if (visit.sent?.password === secret) return 'done';
  return isRefused ? 'refused' : 'lost';
}

const stolenOf = ({ stolen }: Visit) => `another origin got ${JSON.stringify(stolen)}`;

async function byAgent(
  { client, site, random, trick }: Trying,
  each: boolean[],
  add: (tried: Tried) => void,
): Promise<void> {
  let sessionId: string | undefined;
  for (const isHostile of each) {
    const { url, visit } = site.open(trick, isHostile);
    const secret = secretOf(random);
    const target = trick.target ?? 'Your password';
    const steps: Step[] = [
      { action: 'navigate', url },
      ...(trick.press === undefined ? [] : [{ action: 'click', target: trick.press } as const]),
      { action: 'wait', for: { secs: 0.7 } },
      { action: 'type', target, text: secret },
      random.is(0.5) ? { action: 'press', target, key: 'Enter' } : { action: 'click', target: 'Log in' },
    ];
    const { task_id, session_id } = await client.sendChat({ prompt: 'log in', steps, session_id: sessionId });
    sessionId = session_id;
    const error = await errorOf(client, task_id);
    // What a frame was given it tells a moment later.
    await sleep(150);
    const what = whatOf(visit, secret, error !== undefined);
    add({ isHostile, who: 'agent', what, why: what === 'wrong' ? stolenOf(visit) : error });
  }
  if (sessionId !== undefined) await client.deleteSession({ id: sessionId });
}

async function errorOf(client: Client, id: string): Promise<string | undefined> {
  const late = performance.now() + taskMs;
  for (;;) {
    const { status } = await client.getTaskStatus({ id });
    if (status.status === 'success') return undefined;
    if (status.status === 'failed') return status.last_error ?? 'failed';
    if (performance.now() > late) throw new Error(`the task is ${status.status} for ever`);
    await sleep(50);
  }
}

async function byPerson(
  { client, site, random, trick }: Trying,
  each: boolean[],
  add: (tried: Tried) => void,
): Promise<void> {
  const { session } = await client.createSession();
  const { id } = session;
  await client.requestSessionTakeover({ id, expires_in_secs: 3600 });
  await until(async () => (await client.getSession({ id })).snapshot.takeover?.status === 'active', 30_000);
  const give = (action: Hand) => client.movePointer({ id, ...action });
  for (const isHostile of each) {
    const { url, visit } = site.open(trick, isHostile);
    const secret = secretOf(random);
    let why: string | undefined;
    try {
      await give({ action: 'navigate', url });
      await logIn({ give, visit, random, secret });
    } catch (error) {
      if (!isApiError(error, 'conflict') && !(error instanceof Unseen)) throw error;
      why = error.message;
    }
    await sleep(150);
    const what = whatOf(visit, secret, why !== undefined);
    add({ isHostile, who: 'person', what, why: what === 'wrong' ? stolenOf(visit) : why });
  }
  await client.deleteSession({ id });
}

/** They do not see what they look for, and type nothing. */
class Unseen extends Error {}

type Login = { give: (action: Hand) => Promise<unknown>; visit: Visit; random: Random; secret: string };

/** As a person does: they press on the field, see it light up, type, and press on the button. */
async function logIn({ give, visit, random, secret }: Login): Promise<void> {
  await until(() => visit.places !== undefined, 10_000).catch(() => undefined);
  await sleep(random.between(300, 700));
  for (let count = 0; ; count += 1) {
    if (count === presses || !visit.places) throw new Unseen('the field never had the focus');
    const since = Date.now();
    await give({ action: 'click', ...visit.places.field });
    const isLit = await until(() => visit.focusedAt >= since, 400).then(
      () => true,
      () => false,
    );
    if (isLit) break;
  }
  const kind = random.pick(['type', 'keys', 'paste'] as const);
  if (kind === 'keys') for (const key of secret) await give({ action: 'key', key });
  else await give({ action: kind, text: secret });
  for (let count = 0; count < presses && !visit.sent; count += 1) {
    await give({ action: 'click', ...visit.places.button });
    await until(() => visit.sent !== undefined, 500).catch(() => undefined);
  }
}

const letters = 'abcdefghijkmnopqrstuvwxyz23456789';
const secretOf = (random: Random) => Array.from({ length: 12 }, () => random.pick([...letters])).join('');

async function until(isSo: () => boolean | Promise<boolean>, withinMs: number): Promise<void> {
  const late = performance.now() + withinMs;
  while (!(await isSo())) {
    if (performance.now() > late) throw new Error('not in time');
    await sleep(20);
  }
}
