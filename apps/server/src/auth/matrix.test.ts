// Who may do what: every route of the contract, called by everybody, with the ids of everybody's things.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ErrorCode, errors, Problem, type Route, type RouteName, routes } from '@pilothouse/contract';
import {
  type Actor,
  type Cast,
  type Casting,
  type Holder,
  holders,
  isGuest,
  type LiveActor,
  liveActors,
  nobodys,
  openCasting,
  password,
  type RefusedActor,
  refusedActors,
  refusedGuests,
  type Target,
  type Thing,
} from '../../testing/cast.ts';
import { startTestServer, type TestServer } from '../../testing/server.ts';

/**
 * What those who may call get: a status of success, or one of the ways to fail that the route names for itself,
 * because the thing is not in the state for it.
 */
type Gets = number | 'its own';
type Row = {
  /** What the id names, in the path or in what is sent; nothing, where there is none. */
  of?: Thing;
  gets: Gets;
  query?: (given: { id: string }) => Record<string, string>;
  body?: (given: { id: string; cast: Cast }) => object;
  /** The answer shows of these things those that the actor may see, and no others. */
  shows?: Thing;
  /** Whose things the answer shows, where they are of more than one. */
  people?: number;
  /** What an id that cannot be one gets. */
  malformed?: ErrorCode;
  /** Where the rule for tokens that are no longer valid does not hold. */
  except?: Partial<Record<Actor, ErrorCode | Gets>>;
};

const steps = [{ action: 'screenshot' }];
const newName = () => `u${process.hrtime.bigint()}`;

/** One entry a route; several rows, where it can be called in more than one way. */
const rows: Record<RouteName, Row | Row[]> = {
  register: {
    gets: 201,
    body: () => ({ username: newName(), email: `${newName()}@example.test`, password }),
  },
  login: { gets: 200, body: ({ cast }) => ({ username_or_email: cast.username, password }) },
  refresh: { gets: 200, body: ({ cast }) => ({ refresh_token: cast.refreshToken }) },
  getMe: { gets: 200 },
  logout: [
    { gets: 204 },
    {
      // Whoever shows a live refresh token may end its login, whatever else they show, but for a key.
      gets: 204,
      body: ({ cast }) => ({ refresh_token: cast.refreshToken }),
      except: {
        malformed: 204,
        unissued: 204,
        expired: 204,
        loggedOut: 204,
        refreshToken: 204,
        disabled: 204,
      },
    },
  ],
  changePassword: { gets: 204, body: () => ({ current_password: password, new_password: `${password}, lit` }) },
  logoutAll: { gets: 204 },
  listLogins: { gets: 200, shows: 'login' },
  endLogin: { of: 'login', gets: 204 },
  createKey: { gets: 200, body: () => ({ label: 'a key' }) },
  listKeys: { gets: 200, shows: 'key' },
  deleteKey: { of: 'key', gets: 204 },

  sendChat: [
    { gets: 202, body: () => ({ prompt: 'x', steps }) },
    { gets: 200, body: () => ({ prompt: 'x', steps, execute: false }) },
    { of: 'session', gets: 202, body: ({ id }) => ({ prompt: 'x', steps, session_id: id }) },
  ],

  listSessions: { gets: 200, shows: 'session', query: () => ({ limit: '200' }) },
  createSession: { gets: 201 },
  getSession: { of: 'session', gets: 200 },
  followSession: { of: 'session', gets: 200 },
  shareSession: { of: 'session', gets: 200 },
  unshareSession: { of: 'session', gets: 200 },
  movePointer: { of: 'session', gets: 200, body: () => ({ route: { url: 'about:blank' } }) },
  deleteSession: [
    { of: 'session', gets: 200 },
    { of: 'session', gets: 200, query: () => ({ purge: 'true' }) },
  ],
  requestSessionTakeover: { of: 'session', gets: 'its own' },
  resumeSessionTakeover: { of: 'session', gets: 'its own' },
  getRecording: { of: 'session', gets: 200 },
  getRecordedFrame: { of: 'session', gets: 200 },
  listProfiles: { gets: 200 },
  createProfile: { of: 'session', gets: 'its own', body: ({ id }) => ({ label: 'work', session_id: id }) },
  deleteProfile: { of: 'profile', gets: 200 },

  getTaskStatus: { of: 'task', gets: 200 },
  listObservations: { of: 'task', gets: 200, malformed: 'malformed_id' },
  getTask: { of: 'task', gets: 200 },
  listLogs: { of: 'task', gets: 200 },
  followTask: { of: 'task', gets: 200 },
  followTaskStream: { of: 'task', gets: 200 },
  getMessageState: { of: 'task', gets: 200 },
  listExecutions: { of: 'task', gets: 200 },
  requestTakeover: { of: 'task', gets: 'its own' },
  resumeTakeover: { of: 'task', gets: 'its own' },
  getScreenshot: { of: 'task', gets: 200 },
  signalTakeover: { of: 'task', gets: 'its own' },
  cancelTask: { of: 'task', gets: 200 },
  getObservationImage: { of: 'task', gets: 200 },
  getTaskFile: { of: 'task', gets: 200 },
  listTasks: [
    { gets: 200, shows: 'task', query: () => ({ limit: '200' }) },
    { of: 'session', gets: 200, query: ({ id }) => ({ session_id: id }), people: 2 },
  ],
  rerunTask: { of: 'task', gets: 202 },
  listInbox: { gets: 200 },
  followStreams: [
    { of: 'session', gets: 200, query: ({ id }) => ({ stream: `live:${id}` }) },
    // A share shows a session and nothing of its tasks.
    { of: 'task', gets: 200, query: ({ id }) => ({ stream: `task:${id}` }), except: { guest: 'not_found' } },
  ],

  getHealth: { gets: 200 },
  getReady: { gets: 200 },
  getOpenApi: { gets: 200 },
};

/**
 * Whose things each of them finds. An admin finds everybody's sessions and tasks, but only to read them. What lets
 * people in (logins and keys) is everybody's own, the admin's too.
 */
const finds: Record<LiveActor, Partial<Record<Thing, readonly Holder[]>>> = {
  owner: {
    session: ['owners'],
    task: ['owners', 'planned'],
    login: ['owners'],
    key: ['owners'],
    profile: ['owners'],
  },
  ownerKey: { session: ['owners'], task: ['owners', 'planned'], profile: ['owners'] },
  planner: { task: ['planned'] },
  stranger: {
    session: ['strangers'],
    task: ['strangers'],
    login: ['strangers'],
    key: ['strangers'],
    profile: ['strangers'],
  },
  admin: { session: holders, task: holders, profile: holders },
};

type Expected = ErrorCode | Gets;
type Cell = { row: Row; actor: Actor; target: Target | undefined; expected: Expected; isRefusal: boolean };
const withLogins = [...(Object.keys(refusedActors) as RefusedActor[]), ...liveActors];
const everyone: Actor[] = [...withLogins, ...refusedGuests, 'guest'];

/** Every way to call the route, and what must come of it. */
function cellsOf(name: RouteName): Cell[] {
  const route: Route = routes[name];
  return [rows[name] ?? []].flat().flatMap((row) => {
    const targets = row.of
      ? [...holders, ...nobodys].filter((one) => row.of === 'task' || one !== 'planned')
      : [undefined];
    return everyone.flatMap((actor) =>
      targets.map((target) => {
        const expected = expectedOf(route, row, actor, target);
        return { row, actor, target, expected, isRefusal: expected !== row.gets };
      }),
    );
  });
}

function expectedOf(route: Route, row: Row, actor: Actor, target: Target | undefined): Expected {
  if (route.access === 'public') return row.gets;
  const exception = row.except?.[actor];
  if (exception !== undefined) return exception;
  if (isGuest(actor)) {
    // A share opens what shows one session, and is nothing anywhere else.
    if (route.access !== 'share') return 'token_missing';
    if (actor !== 'guest') return 'token_invalid';
    return target === 'owners' ? row.gets : 'not_found';
  }
  if (!isLive(actor)) return refusedActors[actor];
  // A key is for programs: nothing that lets people in is theirs to touch.
  if (actor === 'ownerKey' && route.area === 'auth') return 'token_invalid';
  if (!row.of || !target) return row.gets;
  if (target === 'malformed' || target === 'shouted') return row.malformed ?? 'not_found';
  const mayAct = actor !== 'admin' || route.method === 'GET';
  return mayAct && doesFind(actor, row.of, target) ? row.gets : 'not_found';
}

const isLive = (actor: Actor): actor is LiveActor => !(actor in refusedActors) && !isGuest(actor);
const doesFind = (actor: LiveActor, thing: Thing, target: Target) =>
  (finds[actor][thing] ?? []).some((holder) => holder === target);

type Answer = { status: number; code: ErrorCode | undefined; text: string; headers: Headers };
const counted = { refused: 0, allowed: 0, notServed: 0 };
/** Each with the hook on the route, and with nothing but what the handlers ask themselves. */
const kinds = ['with the hook on the route', 'with the hook switched off'] as const;
type Stage = { server: TestServer; casting: Casting; cast: Cast; served: Set<string> };

describe('the authorization matrix', () => {
  const stages = new Map<string, Stage>();
  let first: TestServer;
  before(async () => {
    first = await startTestServer({ isAuthDisabled: false });
    const brief = await first.another({ lifetimes: { accessSecs: 1, refreshIdleSecs: 3600, loginSecs: 3600 } });
    const hookless = await first.another({ hasRouteHook: false });
    await Promise.all(
      [first, hookless].map(async (server, index) => {
        const casting = await openCasting({ server, gate: first, brief });
        const cast = await casting.newCast();
        // Now, so that nothing but what the tests do changes the database later.
        await Promise.all(withLogins.map((actor) => cast.bearerOf(actor)));
        stages.set(kinds[index] ?? '', { server, casting, cast, served: await servedBy(server) });
      }),
    );
  });
  after(async () => {
    await Promise.all([...stages.values()].map(({ casting }) => casting.close()));
    await first?.close();
  });
  const stageOf = (kind: string): Stage => {
    const stage = stages.get(kind);
    assert.ok(stage);
    return stage;
  };

  it('has an expectation for every route of the contract', () => {
    const without = Object.keys(routes).filter((name) => !(name in rows));
    assert.deepEqual(without, [], 'write down who may call these');
  });

  for (const kind of kinds) {
    describe(`refuses, ${kind}, and changes nothing:`, () => {
      for (const name of Object.keys(routes) as RouteName[]) {
        it(name, async () => {
          const route: Route = routes[name];
          const stage = stageOf(kind);
          const { server, cast, served } = stage;
          const isServed = served.has(name);
          const cells = cellsOf(name).filter(({ isRefusal }) => isRefusal || !isServed);
          const wrong: string[] = [];
          const notFound = new Map<Actor, Set<string>>();
          let before = await digestOf(server);
          const checkUnchanged = async (said: string) => {
            const now = await digestOf(server);
            if (now !== before) wrong.push(`${said}: was refused and changed something`);
            before = now;
          };
          for (const cell of cells) {
            const expected = isServed ? cell.expected : 'not_found';
            const answer = await call(stage, name, cell, cast);
            const said = `${cell.actor} with ${cell.target ?? 'no id'}`;
            if (!isAs(answer, expected, route)) wrong.push(`${said}: ${expected}, got ${tell(answer)}`);
            const challenge = answer.headers.get('www-authenticate');
            if (challenge !== challengeOf(answer)) wrong.push(`${said}: challenged by ${challenge}`);
            if (answer.code === 'not_found')
              notFound.set(cell.actor, (notFound.get(cell.actor) ?? new Set()).add(whatIsSeen(answer)));
            if (isServed && route.method !== 'GET') await checkUnchanged(said);
            counted[isServed ? 'refused' : 'notServed']++;
          }
          await checkUnchanged('somebody');
          // Not there and not yours: nobody can tell the one from the other.
          for (const [actor, answers] of notFound)
            if (answers.size > 1) wrong.push(`${actor} sees a difference: ${[...answers].join(' / ')}`);
          assert.deepEqual(wrong, []);
        });
      }
    });
  }

  for (const kind of kinds) {
    describe(`lets in, ${kind}:`, () => {
      for (const name of Object.keys(routes) as RouteName[]) {
        it(name, async () => {
          const stage = stageOf(kind);
          assert.ok(stage.served.has(name), 'what the contract promises is served');
          const route: Route = routes[name];
          const wrong: string[] = [];
          const cells = cellsOf(name).filter(({ isRefusal }) => !isRefusal);
          await Promise.all(
            cells.map(async (cell) => {
              // Those who change something must not change it for the others.
              const isShared = route.access === 'public' ? !route.body : route.method === 'GET' && !cell.row.shows;
              const cast = isShared ? stage.cast : await stage.casting.newCast();
              const answer = await call(stage, name, cell, cast);
              const said = `${cell.actor} with ${cell.target ?? 'no id'}`;
              if (!isAs(answer, cell.expected, route)) wrong.push(`${said}: ${cell.expected}, got ${tell(answer)}`);
              wrong.push(...wronglyShown(cell, cast, answer).map((what) => `${said}: ${what}`));
              counted.allowed++;
            }),
          );
          assert.deepEqual(wrong, []);
        });
      }
    });
  }

  it('finds no picture and no file of a task through the id of another', async () => {
    const { server, cast } = stageOf(kinds[0]);
    const [own, others] = [cast.idOf('task', 'owners') ?? '', cast.idOf('task', 'strangers') ?? ''];
    const headers = { authorization: `Bearer ${await cast.bearerOf('owner')}` };
    const statusOf = async (path: string) =>
      (await fetch(`${server.baseUrl}/api/tasks/${own}/${path}`, { headers })).status;
    assert.equal(await statusOf(`observations/${cast.observationOf(own)}/image`), 200);
    assert.equal(await statusOf(`observations/${cast.observationOf(others)}/image`), 404);
    assert.equal(await statusOf(`files/${cast.fileOf(own)}`), 200);
    assert.equal(await statusOf(`files/${cast.fileOf(others)}`), 404);
  });

  it('finds no frame of a session through the id of another', async () => {
    const { server, cast } = stageOf(kinds[0]);
    const [own, others] = [cast.idOf('session', 'owners') ?? '', cast.idOf('session', 'strangers') ?? ''];
    const headers = { authorization: `Bearer ${await cast.bearerOf('owner')}` };
    const statusOf = async (frameId: string) =>
      (await fetch(`${server.baseUrl}/api/sessions/${own}/recording/frames/${frameId}`, { headers })).status;
    assert.equal(await statusOf(cast.frameOf(own)), 200);
    assert.equal(await statusOf(cast.frameOf(others)), 404);
  });

  it('asks for a token in front of the heads of answers too', async () => {
    for (const { server, cast, served } of stages.values()) {
      for (const name of served as Set<RouteName>) {
        const route: Route = routes[name];
        if (route.method !== 'GET' || route.access === 'public') continue;
        const id = cast.idOf('task', 'owners') ?? '';
        const { status } = await fetch(server.baseUrl + route.path.replace(/:\w+/g, id), { method: 'HEAD' });
        assert.equal(status, route.stream ? 404 : 401, name);
      }
    }
  });

  it('writes down what an admin reads of others', async () => {
    for (const stage of stages.values()) {
      for (const name of stage.served as Set<RouteName>) {
        const reads = cellsOf(name).filter(
          ({ row, actor, target, isRefusal }) =>
            routes[name].method === 'GET' && row.of && actor === 'admin' && target === 'owners' && !isRefusal,
        );
        for (const cell of reads) {
          const before = await countAudit(stage.server);
          await call(stage, name, cell, stage.cast);
          assert.equal(await countAudit(stage.server), before + (cell.row.people ?? 1), name);
        }
      }
    }
  });

  it('has filled its cells', (test) => {
    test.diagnostic(`cells: ${JSON.stringify(counted)}`);
    assert.ok(counted.refused > 1000 && counted.allowed > 200, JSON.stringify(counted));
  });
});

const countAudit = ({ store }: TestServer): Promise<number> =>
  store.transaction(async ({ client }) => (await client.query('select count(*) from audit')).rows[0].count);

/** The server itself says which promises of the contract it keeps. */
async function servedBy({ client }: TestServer): Promise<Set<string>> {
  // The contract leaves the document to OpenAPI, which has its paths here.
  const paths = (await client.getOpenApi()).paths as Record<string, object>;
  const isServed = ({ method, path }: Route) => method.toLowerCase() in (paths[path.replace(/:(\w+)/g, '{$1}')] ?? {});
  return new Set(Object.entries<Route>(routes).flatMap(([name, route]) => (isServed(route) ? name : [])));
}

async function call(stage: Stage, name: RouteName, { row, actor, target }: Cell, cast: Cast): Promise<Answer> {
  const route: Route = routes[name];
  const id = row.of && target ? (cast.idOf(row.of, target) ?? '') : '';
  const others: Record<string, string> = {
    id,
    observation_id: cast.observationOf(id),
    file_id: cast.fileOf(id),
    frame_id: cast.frameOf(id),
  };
  const path = route.path.replace(/:(\w+)/g, (_, part: string) => others[part] ?? part);
  // Those whose token is over can change nothing of theirs, and it takes time to get one.
  const bearer = isGuest(actor) ? undefined : await (isLive(actor) ? cast : stage.cast).bearerOf(actor);
  const share = cast.shareOf(actor);
  const response = await fetch(`${stage.server.baseUrl}${path}?${new URLSearchParams(row.query?.({ id }))}`, {
    method: route.method,
    headers: {
      ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
      ...(share !== undefined && { 'x-share-token': share }),
      ...(row.body && { 'content-type': 'application/json' }),
    },
    body: row.body && JSON.stringify(row.body({ id, cast })),
  });
  const { status, headers } = response;
  if (headers.get('content-type')?.startsWith('text/event-stream')) {
    await response.body?.cancel();
    return { status, headers, text: '', code: undefined };
  }
  const text = await response.text();
  return { status, headers, text, code: response.ok ? undefined : Problem.parse(JSON.parse(text)).code };
}

function isAs({ status, code }: Answer, expected: Expected, route: Route): boolean {
  if (typeof expected === 'number') return status === expected;
  if (expected !== 'its own') return code === expected && status === errors[expected].status;
  if (code === undefined) return String(status) in route.replies;
  return route.errors.includes(code) && errors[code].status === 409;
}

const tell = ({ status, code, text }: Answer) => `${status} ${code ?? text.slice(0, 200)}`;

const challengeOf = ({ status, code }: Answer) =>
  status !== 401 ? null : code === 'token_missing' ? 'Bearer' : 'Bearer error="invalid_token"';

/** All of an answer that could tell two of them apart, but for what tells any two apart. */
function whatIsSeen({ status, text, headers }: Answer): string {
  const { request_id, ...body } = JSON.parse(text);
  assert.equal(request_id, headers.get('x-request-id'));
  const head = [...headers].filter(([name]) => name !== 'date' && name !== 'x-request-id');
  return JSON.stringify({ status, body, head });
}

function wronglyShown({ row: { shows }, actor }: Cell, cast: Cast, { text }: Answer): string[] {
  if (!shows || !isLive(actor)) return [];
  return holders.flatMap((holder) => {
    const id = cast.idOf(shows, holder);
    if (!id || text.includes(id) === doesFind(actor, shows, holder)) return [];
    return `${doesFind(actor, shows, holder) ? 'is not shown' : 'is shown'} the ${shows} that is ${holder}`;
  });
}

/** Limits count and the audit grows with what is refused; that a key was used is written down. Nothing else may move. */
const mayChange = new Set(['rate_limits', 'audit']);
const digests = new Map<string, string>();

async function digestOf({ store, databaseUrl }: TestServer): Promise<string> {
  return store.transaction(async ({ client }) => {
    let text = digests.get(databaseUrl);
    if (!text) {
      const { rows: tables } = await client.query<{ schema: string; name: string }>(
        `select relnamespace::regnamespace::text as schema, relname as name from pg_class
         where relkind in ('r', 'p') and not relispartition and relnamespace::regnamespace::text in ('public', 'dbos')
         order by 1, 2`,
      );
      const parts = tables
        .filter(({ name }) => !mayChange.has(name))
        .map(({ schema, name }) => digestText(schema, name));
      text = `select md5(concat_ws(' ', ${parts.join(', ')})) as digest`;
      digests.set(databaseUrl, text);
    }
    const { rows: found } = await client.query<{ digest: string }>(text);
    assert.ok(found[0]);
    return found[0].digest;
  });
}

/** Of the engine's tables only how much is in them: it may note the time by itself. */
const digestText = (schema: string, name: string) =>
  schema === 'dbos'
    ? `(select count(*) from dbos."${name}")`
    : `(select md5(string_agg(line, ' ' order by line))
        from (select (to_jsonb(t) ${name === 'api_keys' ? "- 'last_used_at'" : ''})::text as line from "${name}" t) lines)`;
