// Who may do what: every route of the contract, called by each kind of actor, with ids of each owner.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ErrorCode, errors, Problem, type Route, type RouteName, routes } from '@pilothouse/contract';
import { wireRoutes } from '@pilothouse/contract/wire';
import {
  type Actor,
  type ActorSets,
  type Actors,
  type Holder,
  holders,
  isGuest,
  type LiveActor,
  liveActors,
  openActorSets,
  password,
  type RefusedActor,
  refusedActors,
  refusedGuests,
  type Target,
  type Thing,
  unknownTargets,
} from '../../testing/actors.ts';
import { type Changes, followChanges } from '../../testing/database-changes.ts';
import { startTestServer, type TestServer } from '../../testing/server.ts';

/**
 * What those who may call get: a status of success, or one of the ways to fail that the route names for itself,
 * because the thing is not in the state for it.
 */
type Gets = number | 'its own';
type Row = {
  /** The kind of thing that the id names, in the path or in the body; undefined without an id. */
  of?: Thing;
  gets: Gets;
  query?: (given: { id: string }) => Record<string, string>;
  body?: (given: { id: string; actors: Actors }) => object;
  /** Of these things the answer shows those that the actor may see, and no others. */
  shows?: Thing;
  /** Whose things the answer shows, if there are several owners. */
  people?: number;
  /** How many lines it writes to the audit when an admin reads what is of one other user; one by default. */
  audited?: number;
  /** The answer to a malformed id. */
  malformed?: ErrorCode;
  /** Exceptions from the rule for tokens that are no longer valid. */
  except?: Partial<Record<Actor, ErrorCode | Gets>>;
};

const steps = [{ action: 'screenshot' }];
const newName = () => `u${process.hrtime.bigint()}`;

/** Refused to everyone else who has a login. */
const onlyAdmins: Row['except'] = { owner: 'forbidden', planner: 'forbidden', stranger: 'forbidden' };

/** One entry for each route, with a row for each way to call it. */
const rows: Record<RouteName, Row | Row[]> = {
  register: {
    gets: 201,
    body: () => ({ username: newName(), email: `${newName()}@example.test`, password }),
  },
  login: { gets: 200, body: ({ actors }) => ({ username_or_email: actors.username, password }) },
  refresh: { gets: 200, body: ({ actors }) => ({ refresh_token: actors.refreshToken }) },
  consoleLogin: { gets: 200, body: ({ actors }) => ({ username_or_email: actors.username, password }) },
  // Without a cookie there is no login to carry on.
  consoleRefresh: { gets: 401 },
  consoleLogout: { gets: 204 },
  getMe: { gets: 200 },
  logout: [
    { gets: 204 },
    {
      // A live refresh token ends its login with any other token, except with a key.
      gets: 204,
      body: ({ actors }) => ({ refresh_token: actors.refreshToken }),
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
  createInvite: { gets: 200, except: onlyAdmins },
  listInvites: { gets: 200, except: onlyAdmins },
  // No id of anything else is one of an invitation.
  deleteInvite: { of: 'login', gets: 'its own', except: onlyAdmins },

  getAdminOverview: { gets: 200, except: onlyAdmins },
  listAdminUsers: { gets: 200, except: onlyAdmins },
  // No id of anything else is one of a user, or of a host.
  changeUser: { of: 'login', gets: 'its own', body: () => ({ disabled: true }), except: onlyAdmins },
  listAdminHosts: { gets: 200, except: onlyAdmins },
  changeHost: { of: 'login', gets: 'its own', body: () => ({ max_sessions: 4 }), except: onlyAdmins },
  listAdminAgents: { gets: 200, except: onlyAdmins },
  listAdminTasks: { gets: 200, except: onlyAdmins },
  listAudit: { gets: 200, except: onlyAdmins },
  exportAudit: { gets: 200, except: onlyAdmins },

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
  openProgramAccess: { of: 'session', gets: 200 },
  unshareSession: { of: 'session', gets: 200 },
  movePointer: { of: 'session', gets: 200, body: () => ({ route: { url: 'about:blank' } }) },
  updateSession: { of: 'session', gets: 200, body: () => ({ title: 'Another name' }) },
  getThumbnail: { of: 'session', gets: 200 },
  // No browser is open.
  getPageView: { of: 'session', gets: 'its own' },
  getShare: { of: 'session', gets: 200 },
  deleteSession: [
    { of: 'session', gets: 200 },
    { of: 'session', gets: 200, query: () => ({ purge: 'true' }) },
  ],
  requestSessionTakeover: { of: 'session', gets: 'its own' },
  resumeSessionTakeover: { of: 'session', gets: 'its own' },
  setTakeoverClient: { of: 'session', gets: 'its own', body: () => ({ client_id: 'a tab' }) },
  renewTakeover: { of: 'session', gets: 'its own' },
  getRecording: { of: 'session', gets: 200 },
  getRecordingBands: { of: 'session', gets: 200 },
  getRecordedFrame: { of: 'session', gets: 200 },
  listProfiles: { gets: 200 },
  createProfile: { of: 'session', gets: 'its own', body: ({ id }) => ({ label: 'work', session_id: id }) },
  deleteProfile: { of: 'profile', gets: 200 },

  listSecrets: { gets: 200, shows: 'secret' },
  putSecret: { gets: 200, body: () => ({ value: 'a key of brass', origins: ['https://example.com'] }) },
  deleteSecret: { of: 'secret', gets: 200 },

  getTaskStatus: { of: 'task', gets: 200 },
  listObservations: { of: 'task', gets: 200, malformed: 'malformed_id' },
  getTask: { of: 'task', gets: 200 },
  listLogs: { of: 'task', gets: 200 },
  followTask: { of: 'task', gets: 200 },
  followTaskStream: { of: 'task', gets: 200 },
  getMessageState: { of: 'task', gets: 200 },
  listExecutions: { of: 'task', gets: 200 },
  listDecisions: { of: 'task', gets: 200 },
  getDecisionView: { of: 'task', gets: 200 },
  getDecisionPicture: { of: 'task', gets: 200 },
  requestTakeover: { of: 'task', gets: 'its own' },
  resumeTakeover: { of: 'task', gets: 'its own' },
  getScreenshot: { of: 'task', gets: 200 },
  signalTakeover: { of: 'task', gets: 'its own' },
  sendTaskMessage: { of: 'task', gets: 'its own', body: () => ({ text: 'x' }) },
  cancelTask: { of: 'task', gets: 200 },
  getObservationImage: { of: 'task', gets: 200 },
  getTaskFile: { of: 'task', gets: 200 },
  listTasks: [
    { gets: 200, shows: 'task', query: () => ({ limit: '200' }) },
    { of: 'session', gets: 200, query: ({ id }) => ({ session_id: id }), people: 2 },
  ],
  rerunTask: { of: 'task', gets: 202 },
  // That it was taken is written to the audit, too.
  getTaskEvidence: { of: 'task', gets: 200, audited: 2 },
  getPolicy: { gets: 200 },
  setPolicy: { gets: 200, body: () => ({ mode: 'careful', deny: ['ads.example'] }) },
  listInbox: { gets: 200 },
  followInbox: { gets: 200 },
  followStreams: [
    { of: 'session', gets: 200, query: ({ id }) => ({ stream: `live:${id}` }) },
    // A share shows a session, but none of its tasks.
    { of: 'task', gets: 200, query: ({ id }) => ({ stream: `task:${id}` }), except: { guest: 'not_found' } },
    // And no inbox.
    { gets: 200, query: () => ({ stream: 'inbox:me' }), except: { guest: 'not_found' } },
  ],

  getCapabilities: { gets: 200 },
  listEvidenceKeys: { gets: 200 },
  getHealth: { gets: 200 },
  getReady: { gets: 200 },
  getOpenApi: { gets: 200 },
};

/**
 * Whose things each actor finds. An admin finds the sessions and tasks of every user, but only to read them. Logins and
 * keys are found by their own user only.
 */
const finds: Record<LiveActor, Partial<Record<Thing, readonly Holder[]>>> = {
  owner: {
    session: ['owners'],
    task: ['owners', 'planned'],
    login: ['owners'],
    key: ['owners'],
    profile: ['owners'],
    secret: ['owners'],
  },
  ownerKey: { session: ['owners'], task: ['owners', 'planned'], profile: ['owners'], secret: ['owners'] },
  planner: { task: ['planned'] },
  stranger: {
    session: ['strangers'],
    task: ['strangers'],
    login: ['strangers'],
    key: ['strangers'],
    profile: ['strangers'],
    secret: ['strangers'],
  },
  admin: { session: holders, task: holders, profile: holders },
};

type Expected = ErrorCode | Gets;
type Cell = { row: Row; actor: Actor; target: Target | undefined; expected: Expected; isRefusal: boolean };
const withLogins = [...(Object.keys(refusedActors) as RefusedActor[]), ...liveActors];
const everyone: Actor[] = [...withLogins, ...refusedGuests, 'guest'];

/** Every way to call the route, with the expected answer. */
function cellsOf(name: RouteName): Cell[] {
  const route: Route = routes[name];
  return [rows[name] ?? []].flat().flatMap((row) => {
    const targets = row.of
      ? [...holders, ...unknownTargets].filter((one) => row.of === 'task' || one !== 'planned')
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
  // Without a login it is open, and a share is none; a token that is sent has to be valid.
  if (route.access === 'anyone' && (isGuest(actor) || refusedActors[actor as RefusedActor] === 'token_missing'))
    return row.gets;
  const exception = row.except?.[actor];
  if (exception !== undefined) return exception;
  if (isGuest(actor)) {
    // A share opens the routes that show its session, and no others.
    if (route.access !== 'share') return 'token_missing';
    if (actor !== 'guest') return 'token_invalid';
    return target === 'owners' ? row.gets : 'not_found';
  }
  if (!isLive(actor)) return refusedActors[actor];
  // A key is for programs: it opens no route of authentication or administration.
  if (actor === 'ownerKey' && ['auth', 'admin'].includes(route.area)) return 'token_invalid';
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
/** Each with the hook of the route, and with only the check of the handlers. */
const kinds = ['with the hook on the route', 'with the hook switched off'] as const;
type Stage = { server: TestServer; actorSets: ActorSets; actors: Actors; served: Set<string>; changes: Changes };

describe('the authorization matrix', () => {
  const stages = new Map<string, Stage>();
  let first: TestServer;
  before(async () => {
    first = await startTestServer({ isAuthDisabled: false });
    const brief = await first.another({ lifetimes: { accessSecs: 1, refreshIdleSecs: 3600, loginSecs: 3600 } });
    const hookless = await first.another({ hasRouteHook: false });
    // All of these have the same database.
    const changes = await followChanges(first);
    await Promise.all(
      [first, hookless].map(async (server, index) => {
        const actorSets = await openActorSets({ server, gate: first, brief });
        const actors = await actorSets.newActors();
        // Now, so that later only the tests change the database.
        await Promise.all(withLogins.map((actor) => actors.bearerOf(actor)));
        stages.set(kinds[index] ?? '', { server, actorSets, actors, served: await servedBy(server), changes });
      }),
    );
  });
  after(async () => {
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
          const { changes, actors, served } = stage;
          const isServed = served.has(name);
          const cells = cellsOf(name).filter(({ isRefusal }) => isRefusal || !isServed);
          const wrong: string[] = [];
          const notFound = new Map<Actor, Set<string>>();
          // What changed before is not of this route.
          await changes.happened();
          const checkUnchanged = async (said: string) => {
            if (await changes.happened()) wrong.push(`${said}: was refused and changed something`);
          };
          for (const cell of cells) {
            const expected = isServed ? cell.expected : 'not_found';
            const answer = await call(stage, name, cell, actors);
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
          // Unknown and foreign ids get the same answer.
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
              // A case that changes something must not change it for other cases.
              const isShared = route.access === 'public' ? !route.body : route.method === 'GET' && !cell.row.shows;
              const actors = isShared ? stage.actors : await stage.actorSets.newActors();
              const answer = await call(stage, name, cell, actors);
              const said = `${cell.actor} with ${cell.target ?? 'no id'}`;
              if (!isAs(answer, cell.expected, route)) wrong.push(`${said}: ${cell.expected}, got ${tell(answer)}`);
              wrong.push(...wronglyShown(cell, actors, answer).map((what) => `${said}: ${what}`));
              counted.allowed++;
            }),
          );
          assert.deepEqual(wrong, []);
        });
      }
    });
  }

  it('finds no picture and no file of a task by the id of another task', async () => {
    const { server, actors } = stageOf(kinds[0]);
    const [own, others] = [actors.idOf('task', 'owners') ?? '', actors.idOf('task', 'strangers') ?? ''];
    const headers = { authorization: `Bearer ${await actors.bearerOf('owner')}` };
    const statusOf = async (path: string) =>
      (await fetch(`${server.baseUrl}/api/tasks/${own}/${path}`, { headers })).status;
    assert.equal(await statusOf(`observations/${actors.observationOf(own)}/image`), 200);
    assert.equal(await statusOf(`observations/${actors.observationOf(others)}/image`), 404);
    assert.equal(await statusOf(`files/${actors.fileOf(own)}`), 200);
    assert.equal(await statusOf(`files/${actors.fileOf(others)}`), 404);
  });

  it('finds no frame of a session by the id of another session', async () => {
    const { server, actors } = stageOf(kinds[0]);
    const [own, others] = [actors.idOf('session', 'owners') ?? '', actors.idOf('session', 'strangers') ?? ''];
    const headers = { authorization: `Bearer ${await actors.bearerOf('owner')}` };
    const statusOf = async (frameId: string) =>
      (await fetch(`${server.baseUrl}/api/sessions/${own}/recording/frames/${frameId}`, { headers })).status;
    assert.equal(await statusOf(actors.frameOf(own)), 200);
    assert.equal(await statusOf(actors.frameOf(others)), 404);
  });

  it('asks for a token on HEAD requests, too', async () => {
    for (const { server, actors, served } of stages.values()) {
      for (const name of served as Set<RouteName>) {
        const route: Route = routes[name];
        if (route.method !== 'GET' || route.access === 'public' || route.access === 'anyone') continue;
        const id = actors.idOf('task', 'owners') ?? '';
        const { status } = await fetch(server.baseUrl + route.path.replace(/:\w+/g, id), { method: 'HEAD' });
        assert.equal(status, route.stream ? 404 : 401, name);
      }
    }
  });

  it('writes to the audit what an admin reads of other users', async () => {
    for (const stage of stages.values()) {
      for (const name of stage.served as Set<RouteName>) {
        const reads = cellsOf(name).filter(
          ({ row, actor, target, isRefusal }) =>
            routes[name].method === 'GET' && row.of && actor === 'admin' && target === 'owners' && !isRefusal,
        );
        for (const cell of reads) {
          const before = await countAudit(stage.server);
          await call(stage, name, cell, stage.actors);
          assert.equal(await countAudit(stage.server), before + (cell.row.audited ?? cell.row.people ?? 1), name);
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

/** The OpenAPI document of the server says which routes it serves. */
async function servedBy({ client }: TestServer): Promise<Set<string>> {
  // The contract does not describe the document; OpenAPI has its paths here.
  const paths = (await client.getOpenApi()).paths as Record<string, object>;
  const isServed = ({ method, path }: Route) => method.toLowerCase() in (paths[path.replace(/:(\w+)/g, '{$1}')] ?? {});
  return new Set(Object.entries<Route>(routes).flatMap(([name, route]) => (isServed(route) ? name : [])));
}

async function call(stage: Stage, name: RouteName, { row, actor, target }: Cell, actors: Actors): Promise<Answer> {
  const route: Route = routes[name];
  const id = row.of && target ? (actors.idOf(row.of, target) ?? '') : '';
  const others: Record<string, string> = {
    id,
    observation_id: actors.observationOf(id),
    file_id: actors.fileOf(id),
    frame_id: actors.frameOf(id),
    number: '1',
    name: id || 'name',
  };
  const path = route.path.replace(/:(\w+)/g, (_, part: string) => others[part] ?? part);
  // An actor without a valid token changes nothing, and an expired token takes time to make.
  const bearer = isGuest(actor) ? undefined : await (isLive(actor) ? actors : stage.actors).bearerOf(actor);
  const share = actors.shareOf(actor);
  const response = await fetch(`${stage.server.baseUrl}${path}?${new URLSearchParams(row.query?.({ id }))}`, {
    method: route.method,
    headers: {
      ...wireRoutes[name].headers,
      ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
      ...(share !== undefined && { 'x-share-token': share }),
      ...(row.body && { 'content-type': 'application/json' }),
    },
    body: row.body && JSON.stringify(row.body({ id, actors })),
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

/** The parts of an answer that could tell two cases apart, without request ids and times. */
function whatIsSeen({ status, text, headers }: Answer): string {
  const { request_id, ...body } = JSON.parse(text);
  assert.equal(request_id, headers.get('x-request-id'));
  const head = [...headers].filter(([name]) => name !== 'date' && name !== 'x-request-id');
  return JSON.stringify({ status, body, head });
}

function wronglyShown({ row: { shows }, actor }: Cell, actors: Actors, { text }: Answer): string[] {
  if (!shows || !isLive(actor)) return [];
  return holders.flatMap((holder) => {
    const id = actors.idOf(shows, holder);
    if (!id || text.includes(id) === doesFind(actor, shows, holder)) return [];
    return `${doesFind(actor, shows, holder) ? 'is not shown' : 'is shown'} the ${shows} that is ${holder}`;
  });
}
