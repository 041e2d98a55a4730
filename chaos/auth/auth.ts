import { randomBytes } from 'node:crypto';
import { type Answer, call, openStream } from './auth.calls.ts';

/** Two servers on one database, by their addresses: a caller never knows which of them answers. */
export type Servers = readonly [string, string];

const password = 'a long enough password';
const unique = () => randomBytes(6).toString('hex');
const either = ([one, other]: Servers, i: number) => (i % 2 === 0 ? one : other);
const times = <T>(count: number, make: (i: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, i) => make(i)));
const text = (answer: Answer, field: string) => String(answer.body[field]);

async function newUser([server]: Servers): Promise<string> {
  const name = `u${unique()}`;
  const made = await call('POST', `${server}/api/auth/register`, {
    username: name,
    email: `${name}@example.test`,
    password,
  });
  if (made.status !== 201) throw new Error(`could not register: ${made.status}`);
  return name;
}
async function logIn(server: string, name: string) {
  const answer = await call('POST', `${server}/api/auth/login`, { username_or_email: name, password });
  if (answer.status !== 200) throw new Error(`could not log in: ${answer.status}`);
  return { access: text(answer, 'access_token'), refresh: text(answer, 'refresh_token') };
}
const refresh = (server: string, token: string) => call('POST', `${server}/api/auth/refresh`, { refresh_token: token });
const isAlive = async (server: string, access: string) =>
  (await call('GET', `${server}/api/auth/me`, undefined, { token: access })).status === 200;

/** Many clients show one refresh token at the same time; then its grandparent is shown again. */
export async function raceRefresh(servers: Servers, { rounds, clients }: { rounds: number; clients: number }) {
  const result = { rounds, refused: 0, successors: new Set<number>(), outlived: 0 };
  const name = await newUser(servers);
  for (let round = 0; round < rounds; round++) {
    const first = await logIn(either(servers, round), name);
    const answers = await times(clients, (i) => refresh(either(servers, i), first.refresh));
    result.refused += answers.filter(({ status }) => status !== 200).length;
    const children = [...new Set(answers.map((answer) => text(answer, 'refresh_token')))];
    result.successors.add(children.length);
    const grandchild = await refresh(servers[0], children[0] ?? '');
    if (grandchild.status !== 200) result.refused++;
    // A grandparent that comes back was stolen: then nobody of the family may live on.
    const reused = await refresh(servers[1], first.refresh);
    const accesses = [
      first.access,
      ...answers.map((answer) => text(answer, 'access_token')),
      text(grandchild, 'access_token'),
    ];
    const alive = await Promise.all([...new Set(accesses)].map((access, i) => isAlive(either(servers, i), access)));
    const again = await refresh(servers[0], text(grandchild, 'refresh_token'));
    if (reused.status !== 401 || again.status !== 401 || alive.some(Boolean)) result.outlived++;
  }
  return { ...result, successors: [...result.successors] };
}

/** Sends wrong logins for several names at once; counts how many of each name the server compared with the password. */
export async function raceLimit(servers: Servers, { keys, tries }: { keys: number; tries: number }) {
  const passed = new Set<number>();
  const retryAfter = new Set<number>();
  for (let key = 0; key < keys; key++) {
    const name = `nobody-${unique()}`;
    const answers = await times(tries, (i) =>
      call('POST', `${either(servers, i)}/api/auth/login`, { username_or_email: name, password: 'wrong' }),
    );
    passed.add(answers.filter(({ status }) => status !== 429).length);
    for (const { status, headers } of answers) if (status === 429) retryAfter.add(Number(headers['retry-after']));
  }
  const waits = [...retryAfter];
  return { keys, tries, passed: [...passed], retryAfterSecs: { min: Math.min(...waits), max: Math.max(...waits) } };
}

/** Requests that claim to come from everywhere: how many the limit of the one real address let through. */
export async function forgeAddresses([server]: Servers, count: number) {
  const begun = performance.now();
  const answers = await times(count, (i) =>
    call(
      'POST',
      `${server}/api/auth/login`,
      { username_or_email: `nobody-${unique()}`, password: 'wrong' },
      {
        headers: { 'x-forwarded-for': `203.0.${Math.floor(i / 250)}.${i % 250}` },
      },
    ),
  );
  // The limit is one for each minute that has begun since.
  const minutes = 1 + Math.floor((performance.now() - begun) / 60_000);
  return { count, minutes, passed: answers.filter(({ status }) => status !== 429).length };
}

/** Whether the time of an answer tells a known name from an unknown one: 0.5 is a coin. */
export async function timeLogins(servers: Servers, pairs: number) {
  const known = await newUser(servers);
  const wrong = async (name: string) => {
    const begun = performance.now();
    const { status } = await call('POST', `${servers[0]}/api/auth/login`, {
      username_or_email: name,
      password: 'not this one',
    });
    if (status !== 401) throw new Error(`a wrong password answered ${status}`);
    return performance.now() - begun;
  };
  const knownMs: number[] = [];
  const unknownMs: number[] = [];
  await wrong(known);
  for (let pair = 0; pair < pairs; pair++) {
    // In turn and in changing order, so that both have the same weather; names of one length.
    const stranger = `u${unique()}`;
    if (pair % 2 === 0) knownMs.push(await wrong(known));
    unknownMs.push(await wrong(stranger));
    if (pair % 2 === 1) knownMs.push(await wrong(known));
  }
  return { pairs, auc: Math.round(areaUnderCurve(knownMs, unknownMs) * 1000) / 1000 };
}

/** How often a value of the one is above a value of the other. */
function areaUnderCurve(one: number[], other: number[]): number {
  let above = 0;
  for (const a of one) for (const b of other) above += a > b ? 1 : a === b ? 0.5 : 0;
  return above / (one.length * other.length);
}

/** How long a user who is logged in waits during a flood of logins. */
export async function floodLogins(servers: Servers, count: number) {
  const name = await newUser(servers);
  const { access } = await logIn(servers[0], name);
  const measure = async (during: () => boolean, atLeast: number) => {
    const taken: number[] = [];
    while (taken.length < atLeast || during()) {
      const begun = performance.now();
      if (!(await isAlive(servers[0], access))) throw new Error('the login did not hold');
      taken.push(performance.now() - begun);
    }
    return p99(taken);
  };
  await measure(() => false, 200);
  const quietMs = await measure(() => false, 500);
  let isFlooding = true;
  const flood = times(count, () =>
    call('POST', `${servers[0]}/api/auth/login`, { username_or_email: `nobody-${unique()}`, password: 'wrong' }),
  ).finally(() => {
    isFlooding = false;
  });
  const floodedMs = await measure(() => isFlooding, 100);
  const answers = await flood;
  const refused = answers.filter(({ status }) => status === 503);
  return {
    count,
    quietMs,
    floodedMs,
    hashed: answers.filter(({ status }) => status === 401).length,
    refused: refused.length,
    refusedWithRetryAfter: refused.filter(({ headers }) => Number(headers['retry-after']) > 0).length,
    other: answers.filter(({ status }) => status !== 401 && status !== 503).length,
  };
}

const p99 = (values: number[]) =>
  Math.round((values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.99)] ?? 0) * 100) / 100;

/** Logs out at one server and uses the tokens at the other, at once. */
export async function logOutElsewhere([one, other]: Servers, { uses, isAll }: { uses: number; isAll: boolean }) {
  const name = await newUser([one, other]);
  const logins = await times(10, () => logIn(one, name));
  const [first] = logins;
  if (!first) throw new Error('no login');
  const ended = await call('POST', `${one}/api/auth/${isAll ? 'logout-all' : 'logout'}`, {}, { token: first.access });
  if (ended.status !== 204) throw new Error(`logout answered ${ended.status}`);
  const over = isAll ? logins : [first];
  const accepted = await times(uses, async (i) => isAlive(other, over[i % over.length]?.access ?? ''));
  return { uses, accepted: accepted.filter(Boolean).length };
}

/** Streams at the other server, and how long after the logout the last of them ended. */
export async function endStreams([one, other]: Servers, count: number) {
  const name = await newUser([one, other]);
  const { access } = await logIn(one, name);
  const made = await call('POST', `${one}/api/sessions`, {}, { token: access });
  const { id } = made.body.session as { id: string };
  const streams = await times(count, () => openStream(`${other}/api/sessions/${id}/live`, access));
  const begun = performance.now();
  await call('POST', `${one}/api/auth/logout-all`, {}, { token: access });
  const late = new Promise<number>((resolve) => setTimeout(() => resolve(Number.POSITIVE_INFINITY), 10_000).unref());
  const ends = await Promise.all(streams.map(({ ended }) => Promise.race([ended, late])));
  return { count, closed: ends.filter(Number.isFinite).length, lastMs: Math.round(Math.max(...ends) - begun) };
}

/** One name in many cases, at once. */
export async function raceRegister(servers: Servers, count: number) {
  const name = `reg${unique()}`;
  const cased = (i: number) =>
    [...name].map((letter, at) => ((i >> (at % 8)) & 1 ? letter.toUpperCase() : letter)).join('');
  const answers = await times(count, (i) =>
    call('POST', `${either(servers, i)}/api/auth/register`, {
      username: cased(i),
      email: `${name}-${i}@example.test`,
      password,
    }),
  );
  const of = (status: number) => answers.filter((answer) => answer.status === status).length;
  return { count, created: of(201), existed: of(409), overloaded: of(503) };
}
