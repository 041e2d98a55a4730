import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { maxBundled, maxPlaces } from '@pilothouse/contract';
import fc from 'fast-check';
import { until as pollUntil } from '../../../../testkit/until.ts';
import { installSharedWorker } from '../../testing/shared-worker.ts';
import { type StreamServer, startStreamServer } from '../../testing/stream-server.ts';
import { sleep } from '../common/clock.ts';
import { createMemoryStorage } from '../common/kept-tokens.ts';
import { ApiError, type Client, createClient, createLogin, type TokenStorage } from '../index.ts';
import { maxCarried, maxPositions } from './followers.ts';
import type { SharedWorkerLike } from './messages.ts';
import { createSharedStreams } from './tab.ts';

const idOf = (n: number) => `01890000-0000-7000-8000-${String(n).padStart(12, '0')}`;
const upTo = (last: number, first = 1) => Array.from({ length: last - first + 1 }, (_, index) => first + index);

describe('streams that tabs share', () => {
  let server: StreamServer;
  let worker: ReturnType<typeof installSharedWorker>;
  let leaving: AbortController;
  beforeEach(async () => {
    server = await startStreamServer();
    worker = installSharedWorker({ pingMs: 60, turnMs: 150 });
    leaving = new AbortController();
  });
  afterEach(() => {
    leaving.abort(new Error('the test is over'));
    worker.close();
    server.close();
  });

  const openTab = (options: Partial<Parameters<typeof createClient>[0]> = {}) =>
    createClient({ baseUrl: server.baseUrl, sharedAs: () => 'ann', ...options });
  type Event = { type: string; seq?: number; n?: number };
  type Manner = { cursor?: string; kind?: 'live' | 'task' | 'inbox'; onEvent?: (event: Event) => Promise<void> };

  /** Follows, and keeps what came. */
  function follow(tab: Client, id: string, { cursor, kind = 'live', onEvent }: Manner = {}) {
    const stop = new AbortController();
    const states: string[] = [];
    const events: Event[] = [];
    const options = {
      signal: AbortSignal.any([stop.signal, leaving.signal]),
      onConnection: (state: string) => void states.push(state),
    };
    const stream: AsyncIterable<unknown> = {
      live: () => tab.followSession({ id, cursor }, options),
      task: () => tab.followTask({ id, cursor }, options),
      inbox: () => tab.followInbox({ cursor }, options),
    }[kind]();
    const ended = (async () => {
      for await (const next of stream) {
        // As the server of this test writes them.
        const event = next as Event;
        events.push(event);
        await onEvent?.(event);
      }
      return 'ended';
    })();
    const failed = ended.catch((error: unknown) => error);
    const seqs = () => events.flatMap(({ seq }) => seq ?? []);
    return { events, states, seqs, failed, leave: () => stop.abort(new Error('left')) };
  }
  async function until(isSo: () => boolean, what: string | (() => unknown) = 'it is so'): Promise<void> {
    await pollUntil(isSo, 10_000).catch(() =>
      assert.fail(`not in time: ${typeof what === 'string' ? what : JSON.stringify(what())}`),
    );
  }

  it('come over one response, however many tabs follow however much', async () => {
    const tabs = upTo(8).map((n) => {
      const tab = openTab();
      return [follow(tab, idOf(n)), follow(tab, idOf(100 + n), { kind: 'task' })];
    });
    await until(() => server.carried()[0]?.length === 16);
    assert.equal(server.carried().length, 1);
    for (const n of upTo(8)) {
      server.say(idOf(n), n);
      server.say(idOf(100 + n), 2 * n);
    }
    for (const [index, [live, task]] of tabs.entries()) {
      await until(() => live?.seqs().length === index + 1 && task?.seqs().length === 2 * (index + 1));
      assert.deepEqual(live?.seqs(), upTo(index + 1));
      assert.deepEqual(task?.seqs(), upTo(2 * (index + 1)));
      assert.deepEqual(live?.states, ['connected']);
    }
  });

  it('of one session are asked for once, and a late tab begins at its own cursor', async () => {
    const id = idOf(1);
    server.say(id, 10);
    const first = follow(openTab(), id);
    await until(() => first.seqs().length === 10);
    const late = [
      follow(openTab(), id),
      follow(openTab(), id, { cursor: '4' }),
      follow(openTab(), id, { cursor: '10' }),
    ];
    await until(() => late[0]?.seqs().length === 10 && late[1]?.seqs().length === 6);
    server.say(id, 5);
    await until(() => [first, ...late].every(({ seqs }) => seqs().at(-1) === 15));
    assert.deepEqual(first.seqs(), upTo(15));
    assert.deepEqual(
      late.map(({ seqs }) => seqs()),
      [upTo(15), upTo(15, 5), upTo(15, 11)],
    );
    await until(() => server.carried().flat().length === 1, server.carried);
    server.say(id, 1);
    await until(() => [first, ...late].every(({ seqs }) => seqs().at(-1) === 16));
    first.leave();
    await first.failed;
    // Twice, so that one is said when the worker knows that the first tab left.
    for (const last of [17, 18]) {
      server.say(id, 1);
      await until(() => late.every(({ seqs }) => seqs().at(-1) === last));
    }
  });

  it('have no gap and no repeat while tabs come and go and connections are cut', async () => {
    const move = fc.record({
      what: fc.constantFrom('come', 'come', 'go', 'say', 'say', 'cut', 'rest'),
      id: fc.integer({ min: 1, max: 3 }),
      n: fc.nat(1000),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(move, { minLength: 10, maxLength: 25 }), async (moves) => {
        const own = await startStreamServer();
        const following: { id: string; from: number; follower: ReturnType<typeof follow> }[] = [];
        const said = new Map<string, number>();
        for (const { what, id: number, n } of moves) {
          const id = idOf(number);
          const last = said.get(id) ?? 0;
          if (what === 'say') {
            own.say(id, 1 + (n % 5));
            said.set(id, last + 1 + (n % 5));
          } else if (what === 'come') {
            const from = n % (last + 1);
            const cursor = from > 0 ? String(from) : undefined;
            const tab = openTab({ baseUrl: own.baseUrl });
            following.push({ id, from, follower: follow(tab, id, { cursor, kind: n % 2 ? 'live' : 'task' }) });
          } else if (what === 'go') following.splice(n % (following.length + 1), 1)[0]?.follower.leave();
          else if (what === 'cut') own.cut();
          // Moments of every kind are what is tried here.
          await sleep(what === 'rest' ? n % 120 : n % 8);
        }
        for (const { id, from, follower } of following) {
          const expected = upTo(said.get(id) ?? 0, from + 1);
          await until(() => follower.seqs().length >= expected.length, follower.seqs);
          assert.deepEqual(follower.seqs(), expected);
        }
        for (const { follower } of following) follower.leave();
        await until(() => own.carried().length === 0);
        own.close();
      }),
      { numRuns: 25 },
    );
  });

  it('give a slow tab the newest frame, and every frame to the others', async () => {
    const id = idOf(1);
    const mayGoOn = Promise.withResolvers<void>();
    const slow = follow(openTab(), id, {
      onEvent: async ({ type }) => (type === 'frame' ? mayGoOn.promise : undefined),
    });
    const quick = follow(openTab(), id);
    server.say(id, 1);
    await until(() => slow.seqs().length === 1 && quick.seqs().length === 1);
    await until(() => server.carried().flat().length === 1);
    const framesOf = ({ events }: typeof slow) => events.flatMap(({ n }) => n ?? []);
    for (const n of upTo(40)) {
      server.frame(id, n);
      await until(() => framesOf(quick).at(-1) === n);
    }
    mayGoOn.resolve();
    await until(() => framesOf(slow).at(-1) === 40);
    assert.ok(framesOf(slow).length < 20, `the slow one saw ${framesOf(slow).length}`);
    assert.deepEqual(framesOf(quick), upTo(40));
    assert.deepEqual(
      framesOf(slow),
      framesOf(slow).toSorted((a, b) => a - b),
    );
  });

  it('let a tab that reads nothing come back by its cursor, and keep nothing for it meanwhile', async () => {
    const id = idOf(1);
    const held = Promise.withResolvers<void>();
    const asleep = follow(openTab(), id, { onEvent: () => held.promise });
    const awake = follow(openTab(), idOf(2));
    server.say(id, 1);
    await until(() => asleep.events.length === 1);
    for (const n of upTo(4)) {
      server.say(id, 400);
      server.say(idOf(2), 1);
      await until(() => awake.seqs().length === n);
    }
    await until(() => !server.carried().flat().includes(`live:${id}`), server.carried);
    held.resolve();
    await until(
      () => asleep.seqs().length >= 1601,
      () => asleep.seqs().length,
    );
    assert.deepEqual(asleep.seqs(), upTo(1601));
  });

  it('end with the last tab, also when tabs vanish without a word', async () => {
    const vanishing = follow(openTab(), idOf(1));
    server.say(idOf(1));
    await until(() => vanishing.seqs().length === 1);
    const staying = follow(openTab(), idOf(2));
    await until(() => server.carried().flat().length === 2);
    worker.vanish(0);
    await until(() => server.carried().flat().length === 1, server.carried);
    staying.leave();
    await until(() => server.carried().length === 0);
  });

  it('are ended and refused each for itself', async () => {
    server.state.missing.add(idOf(3));
    const [task, live, none] = [
      follow(openTab(), idOf(1), { kind: 'task' }),
      follow(openTab(), idOf(2)),
      follow(openTab(), idOf(3)),
    ];
    const odd = follow(openTab(), 'a@b~c');
    assert.equal(((await none.failed) as Error).name, 'ApiError');
    await until(() => server.carried().flat().length >= 2);
    server.say(idOf(1), 2);
    await until(() => task.seqs().length === 2);
    server.end(idOf(1));
    assert.equal(await task.failed, 'ended');
    server.say(idOf(2), 2);
    await until(() => live.seqs().length === 2);
    odd.leave();
  });

  it('go on with a renewed token, and end with the login of all tabs', async () => {
    server.state.token = 'second';
    let token: string | undefined = 'first';
    let renewals = 0;
    const renew = async () => {
      renewals += 1;
      token = 'second';
      return token;
    };
    const given = () => (token === undefined ? undefined : { value: token, renew });
    const following = [1, 2].map((n) => follow(openTab({ token: given }), idOf(n)));
    await until(() => server.carried().flat().length === 2);
    assert.deepEqual(server.tokens(), ['second']);
    assert.ok(renewals >= 1);
    token = undefined;
    server.cut();
    for (const { failed } of following) assert.equal(((await failed) as { code: string }).code, 'token_missing');
  });

  it('do not go on with the login of a later user', async () => {
    server.state.token = 'ann';
    let name = 'ann';
    const tab = openTab({ sharedAs: () => name, token: () => name });
    const anns = follow(tab, idOf(1));
    await until(() => server.carried().flat().length === 1);
    name = 'ben';
    server.state.token = 'ben';
    server.cut();
    assert.equal(((await anns.failed) as { code: string }).code, 'token_missing');
    const bens = follow(tab, idOf(1));
    server.say(idOf(1));
    await until(() => bens.seqs().length === 1);
    assert.deepEqual(server.tokens(), ['ben']);
  });

  it('are shared by the tabs of one stored login or one share, and not by two logins', async () => {
    const scope = globalThis as { localStorage?: TokenStorage };
    const stored = createMemoryStorage();
    const openLogin = async (storage: TokenStorage, username_or_email: string) => {
      const login = createLogin({ baseUrl: server.baseUrl, storage, sharesStreams: true });
      if (!login.isLoggedIn()) await login.login({ username_or_email, password: 'x' });
      return login;
    };
    const before = Object.getOwnPropertyDescriptor(globalThis, 'localStorage');
    Object.defineProperty(globalThis, 'localStorage', { value: stored, configurable: true });
    const logins = [
      await openLogin(stored, 'a1'),
      await openLogin(stored, 'a1'),
      await openLogin(createMemoryStorage(), 'a1'),
    ];
    assert.equal(scope.localStorage, stored);
    const clients = [
      ...logins.map(({ client }) => client),
      ...[1, 2].map(() => openTab({ token: () => 'nobody', shareToken: 'phs_1' })),
    ];
    for (const [index, client] of clients.entries()) follow(client, idOf(index));
    await until(() => server.carried().flat().length === 5, server.carried);
    assert.deepEqual(
      server
        .carried()
        .map((streams, index) => [server.tokens()[index], streams.length])
        .sort(),
      [
        ['a1', 1],
        ['a1', 2],
        ['phs_1', 2],
      ],
    );
    for (const login of logins) await login.close();
    if (before) Object.defineProperty(globalThis, 'localStorage', before);
    else delete scope.localStorage;
  });

  it('go on by their cursors over another worker when theirs says nothing any more', async () => {
    const id = idOf(1);
    // Installed by this test's own worker, and so the one of this process.
    const { SharedWorker } = globalThis as unknown as { SharedWorker: new () => SharedWorkerLike };
    const streams = createSharedStreams({
      baseUrl: server.baseUrl,
      login: () => 'ann',
      prove: async () => ({ headers: {} }),
      openWorker: () => new SharedWorker(),
      silenceMs: 400,
    });
    const seqs: unknown[] = [];
    const alone = () => assert.fail('there is a worker');
    const wanted = { kind: 'live', id, cursor: undefined } as const;
    const options = { signal: leaving.signal, kinds: new Set(['overlay']), alone };
    const following = (async () => {
      for await (const event of streams.follow(wanted, options)) seqs.push((event as Event).seq);
    })();
    following.catch(() => {});
    server.say(id, 3);
    await until(() => seqs.length === 3);
    worker.vanish(0);
    server.say(id, 3);
    await until(() => seqs.length >= 6);
    assert.deepEqual(seqs, upTo(6));
    assert.equal(worker.count(), 2);
  });

  it('are never shared between logins; beyond four of them they take turns, and all are told everything', async () => {
    const people = upTo(7).map((n) => follow(openTab({ sharedAs: () => `user ${n}` }), idOf(1)));
    for (const _ of upTo(10)) {
      const before = server.state.requests.length;
      server.say(idOf(1), 3);
      // Another login has its turn.
      await until(() => server.state.requests.length > before);
    }
    await until(
      () => people.every(({ seqs }) => seqs().length >= 30),
      () => people.map(({ seqs }) => seqs().length),
    );
    for (const { seqs } of people) assert.deepEqual(seqs(), upTo(30));
    assert.ok(server.state.mostOpen <= 5, `${server.state.mostOpen} were open`);
  });

  it('wait, beyond as many as one response takes, until others are left', async () => {
    assert.equal(maxCarried, maxBundled);
    const tab = openTab();
    const following = upTo(maxCarried + 5).map((n) => follow(tab, idOf(n)));
    await until(() => server.carried()[0]?.length === maxCarried);
    // When the second round has come, nothing of the first is on its way any more.
    for (const round of [1, 2]) {
      for (const n of upTo(following.length)) server.say(idOf(n));
      await until(() => following.filter(({ seqs }) => seqs().length === round).length === maxCarried);
    }
    assert.deepEqual(
      following.slice(maxCarried).map(({ seqs }) => seqs()),
      [[], [], [], [], []],
    );
    for (const { leave } of following.slice(0, 5)) leave();
    await until(() => following.slice(maxCarried).every(({ seqs }) => seqs().length === 2));
  });

  it('of tabs at many positions of one stream take turns, few at a time, and are merged', async () => {
    assert.equal(maxPositions, maxPlaces);
    const id = idOf(1);
    const other = follow(openTab(), idOf(2));
    server.say(id, 20);
    const places = upTo(9, 1).map((n) => ({ from: n, follower: follow(openTab(), id, { cursor: String(n) }) }));
    await until(() => places.every(({ follower }) => follower.seqs().at(-1) === 20));
    server.say(id, 3);
    server.say(idOf(2), 1);
    await until(() => places.every(({ follower }) => follower.seqs().at(-1) === 23) && other.seqs().length === 1);
    for (const { from, follower } of places) assert.deepEqual(follower.seqs(), upTo(23, from + 1));
    await until(() => server.carried().flat().length === 2, server.carried);
    const asked = server.state.requests.map((url) => new URL(url, 'http://a').searchParams.getAll('stream'));
    const placesIn = (streams: string[]) => streams.filter((stream) => stream.startsWith(`live:${id}`)).length;
    assert.equal(Math.max(...asked.map(placesIn)), maxPlaces);
  });

  it('of tabs that stand apart while nothing is said all have their turn', async () => {
    const id = idOf(1);
    // Behind all that there is, as where the log has more than a stream shows.
    const cursors = upTo(9).map(String);
    const following = cursors.map((cursor) => follow(openTab(), id, { cursor }));
    const asked = () => server.state.requests.map((url) => new URL(url, 'http://a').searchParams.getAll('stream'));
    const placesIn = (streams: string[]) => streams.map((stream) => stream.split('@')[1] ?? '');
    await until(() => cursors.every((cursor) => asked().some((streams) => placesIn(streams).includes(cursor))));
    assert.ok(asked().every((streams) => streams.length <= maxPlaces));
    await until(() => following.every(({ states }) => states.length > 0));
  });

  it('of tabs that open together begin at one position', async () => {
    const id = idOf(1);
    server.say(id, 3);
    const following = upTo(8).map(() => follow(openTab(), id));
    await until(() => following.every(({ seqs }) => seqs().length === 3));
    assert.deepEqual(server.carried(), [[`live:${id}`]]);
    assert.equal(server.state.requests.length, 1, 'and are never asked for apart');
  });

  it('have a connection each where the worker or the server cannot', async () => {
    server.state.hasBundles = false;
    const old = follow(openTab(), idOf(1));
    server.say(idOf(1), 2);
    await until(() => old.seqs().length === 2);
    worker.close();
    const alone = follow(openTab(), idOf(1), { cursor: '1' });
    await until(() => alone.seqs().length === 1);
    assert.deepEqual(alone.seqs(), [2]);
    assert.equal(server.carried().length, 2);
  });

  it('of one inbox come once for all tabs, from the first state that each has on', async () => {
    server.say('me', 3);
    const following = upTo(5).map(() => follow(openTab(), 'me', { kind: 'inbox' }));
    const watched = follow(openTab(), idOf(1));
    await until(() => following.every(({ seqs }) => seqs().length === 1));
    const late = follow(openTab(), 'me', { kind: 'inbox' });
    await until(() => late.seqs().length === 1 && server.carried().flat().length === 2, server.carried);
    server.say('me');
    server.say(idOf(1));
    await until(() => [...following, late].every(({ seqs }) => seqs().at(-1) === 4));
    await until(() => watched.seqs().length === 1);
    for (const { seqs } of [...following, late]) assert.deepEqual(seqs(), [3, 4]);
    assert.equal(server.carried().length, 1);
    server.cut();
    await until(() => server.carried().flat().length === 2, server.carried);
    server.say('me');
    await until(() => following.every(({ seqs }) => seqs().at(-1) === 5));
    assert.deepEqual(following[0]?.seqs(), [3, 4, 5], 'and nothing again after a cut');
  });

  it('go on without the inbox at a server that does not know it', async () => {
    server.state.hasInboxes = false;
    const inbox = follow(openTab(), 'me', { kind: 'inbox' });
    const watched = follow(openTab(), idOf(1));
    const refused = await inbox.failed;
    assert.ok(refused instanceof ApiError && refused.code === 'validation_failed', String(refused));
    server.say(idOf(1), 2);
    await until(() => watched.seqs().length === 2);
  });

  it('can be followed by a program as one bundle, each from its own cursor', async () => {
    server.say(idOf(1), 3);
    server.say(idOf(2), 3);
    const seen: string[] = [];
    const stream = [`live:${idOf(1)}@1`, `task:${idOf(2)}`];
    for await (const event of createClient({ baseUrl: server.baseUrl }).followStreams({ stream })) {
      if (event.type === 'refused') continue;
      seen.push(`${event.type} ${event.cursor}`);
      if (seen.length === 3) server.cut();
      // Nothing that the stream of a task has.
      if (seen.length === 4) server.frame(idOf(2), 1);
      if (seen.length === 5) server.say(idOf(1));
      if (seen.length === 6) break;
    }
    assert.deepEqual(seen.toSorted(), ['live 2', 'live 3', 'live 4', 'task 1', 'task 2', 'task 3']);
  });
});
