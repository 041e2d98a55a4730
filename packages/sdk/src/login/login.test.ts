import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { until as pollUntil } from '../../../../testkit/until.ts';
import { startAuthServer } from '../../testing/auth-server.ts';
import { createLaggingStorage } from '../../testing/lagging-storage.ts';
import { type Clock, systemClock } from '../common/clock.ts';
import { createMemoryStorage } from '../common/kept-tokens.ts';
import { type ClientLogin, createLogin, type LoginOptions, type TokenStorage } from '../index.ts';

const id = '01890000-0000-7000-8000-000000000001';
const ada = { username_or_email: 'ada', password: 'correct horse' };
const bob = { username_or_email: 'bob', password: 'correct horse' };
const many = Array.from({ length: 50 });

describe('a login', () => {
  let server: Awaited<ReturnType<typeof startAuthServer>>;
  let opened: ClientLogin[];
  beforeEach(async () => {
    server = await startAuthServer();
    opened = [];
  });
  afterEach(async () => {
    for (const login of opened) await login.close();
    server.close();
  });

  const open = (options: Partial<LoginOptions> = {}) => {
    const login = createLogin({ baseUrl: server.baseUrl, ...options });
    opened.push(login);
    return login;
  };
  const openLoggedIn = async (options: Partial<LoginOptions> = {}) => {
    const login = open(options);
    await login.login(ada);
    return login;
  };
  const hear = (login: ClientLogin) => {
    const heard: (string | undefined)[] = [];
    login.onChange((user) => heard.push(user?.username));
    return heard;
  };
  /** A clock that stands, and that waiting moves; the server's goes with it. */
  const createTestClock = () => {
    let at = 1_000_000;
    const pass = (ms: number) => {
      at += ms;
      server.state.now += ms;
    };
    const sleep = async (ms: number, signal?: AbortSignal) => {
      signal?.throwIfAborted();
      pass(ms);
      await new Promise((resolve) => setImmediate(resolve));
    };
    return { now: () => at, sleep, pass };
  };
  const until = (isSo: () => boolean) => pollUntil(isSo, 5000);

  it('returns the user, tells listeners, and calls with the token', async () => {
    const login = open();
    const heard = hear(login);
    assert.equal(login.isLoggedIn(), false);
    await assert.rejects(login.client.getMe(), { code: 'token_missing' });
    const user = await login.login(ada);
    assert.equal(user.username, 'ada');
    assert.equal(login.user(), login.user());
    assert.deepEqual(login.user(), user);
    assert.equal((await login.client.getMe()).username, 'ada');
    assert.deepEqual(heard, ['ada']);
  });

  it('stays as it is when the password is wrong', async () => {
    const login = await openLoggedIn();
    await assert.rejects(login.login({ ...bob, password: 'wrong' }), { code: 'invalid_credentials' });
    assert.equal(login.user()?.username, 'ada');
    assert.equal(server.state.refreshes, 0);
  });

  it('refreshes once for fifty calls that are refused', async () => {
    const login = await openLoggedIn();
    const heard = hear(login);
    server.expire();
    const replies = await Promise.all(many.map(() => login.client.getMe()));
    assert.ok(replies.every(({ username }) => username === 'ada'));
    assert.equal(server.state.refreshes, 1);
    assert.deepEqual(heard, [], 'a renewal is no change');
  });

  it('refreshes once before the token runs out, so that no call is refused', async () => {
    const clock = createTestClock();
    const login = await openLoggedIn({ clock });
    clock.pass(869_000);
    await login.client.getMe();
    assert.equal(server.state.refreshes, 0);
    clock.pass(1000);
    await Promise.all(many.map(() => login.client.getMe()));
    assert.equal(server.state.refreshes, 1);
    assert.ok(server.state.calls.every(({ code }) => code === 200));
  });

  it('goes on with a token that is good for a little longer while it cannot be renewed', async () => {
    const clock = createTestClock();
    const login = await openLoggedIn({ clock });
    clock.pass(880_000);
    server.state.faults = ['overloaded', 'rate_limited'];
    await login.client.getMe();
    clock.pass(20_000);
    await assert.rejects(login.client.getMe(), { code: 'rate_limited' });
    await login.client.getMe();
    assert.equal(server.state.refreshes, 3);
  });

  it('sends a refused POST once more, the same, and it acts once', async () => {
    const login = await openLoggedIn();
    server.expire();
    await login.client.sendChat({ prompt: 'open the shop' }, { idempotencyKey: 'k' });
    assert.equal(server.state.chats, 1);
    const chats = server.state.calls.filter(({ path }) => path === '/api/chat');
    assert.deepEqual(
      chats.map(({ code, token, idempotencyKey }) => [code, token, idempotencyKey]),
      [
        [401, 'pha_1', 'k'],
        [200, 'pha_2', 'k'],
      ],
    );
  });

  it('does not retry a second time, and does not end the login', async () => {
    const login = await openLoggedIn();
    server.state.isRefusingAll = true;
    await assert.rejects(login.client.getMe(), { name: 'ApiError', code: 'token_expired' });
    assert.equal(server.state.calls.filter(({ path }) => path === '/api/auth/me').length, 2);
    assert.equal(server.state.refreshes, 1);
    assert.equal(login.isLoggedIn(), true);
  });

  it('is over when a refresh is refused, and says so once', async () => {
    const login = await openLoggedIn();
    const heard = hear(login);
    server.endAll();
    const results = await Promise.allSettled(many.map(() => login.client.getMe()));
    for (const result of results) {
      assert.equal(result.status, 'rejected');
      assert.equal(result.reason.code, 'token_invalid');
    }
    assert.equal(server.state.refreshes, 1);
    assert.deepEqual(heard, [undefined]);
    assert.equal(login.isLoggedIn(), false);
    await assert.rejects(login.client.getMe(), { code: 'token_missing' });
    await login.login(ada);
    assert.deepEqual(heard, [undefined, 'ada']);
  });

  it('never retries with the token of a user who logged in meanwhile', async () => {
    const login = await openLoggedIn();
    server.expire();
    const wait = Promise.withResolvers<void>();
    server.state.onRefresh = () => wait.promise;
    const chat = login.client.sendChat({ prompt: 'buy it' });
    await until(() => server.state.refreshes === 1);
    await login.login(bob);
    wait.resolve();
    await assert.rejects(chat, { code: 'token_expired' });
    assert.equal(server.state.chats, 0);
    assert.equal(login.user()?.username, 'bob');
  });

  for (const fault of ['cut', 'portal', 'internal'] as const) {
    it(`presents the same token again when the answer is lost: ${fault}`, async () => {
      const clock = createTestClock();
      const login = await openLoggedIn({ clock });
      server.expire();
      server.state.faults = [fault, fault];
      await Promise.all(many.map(() => login.client.getMe()));
      assert.equal(server.state.refreshes, 3);
      assert.equal(server.logins(), 1);
      assert.equal(login.isLoggedIn(), true);
    });
  }

  // Well within the ten seconds in which the server repeats its answer.
  it('asks again in time when there is no answer at all', { timeout: 8000 }, async () => {
    const login = await openLoggedIn();
    server.expire();
    server.state.faults = ['mute'];
    await login.client.getMe();
    assert.equal(server.state.refreshes, 2);
    assert.equal(server.logins(), 1);
  });

  it('outlives a server that is away: the call fails, the login does not', async () => {
    const clock = createTestClock();
    let isAway = false;
    const login = await openLoggedIn({
      clock,
      fetch: (...given) => (isAway ? Promise.reject(new TypeError('fetch failed')) : fetch(...given)),
    });
    const heard = hear(login);
    server.expire();
    clock.pass(900_000);
    isAway = true;
    await assert.rejects(login.client.getMe(), { name: 'ConnectionError' });
    isAway = false;
    await login.client.getMe();
    assert.deepEqual(heard, []);
    assert.equal(server.state.refreshes, 1);
  });

  it('lets a caller give up while others still wait for the token', async () => {
    const login = await openLoggedIn();
    server.expire();
    const wait = Promise.withResolvers<void>();
    server.state.onRefresh = () => wait.promise;
    const abort = new AbortController();
    const one = login.client.getMe({}, { signal: abort.signal });
    const late = login.client.getMe({}, { timeoutMs: 300 });
    const other = login.client.getMe();
    await until(() => server.state.refreshes === 1);
    abort.abort(new Error('enough'));
    await assert.rejects(one, /enough/);
    await assert.rejects(late, { name: 'ConnectionError', message: /in time/ });
    wait.resolve();
    assert.equal((await other).username, 'ada');
    assert.equal(server.state.refreshes, 1);
  });

  it('follows a stream over tokens that run out, and reconnects with new ones', async () => {
    const login = await openLoggedIn();
    const seen: unknown[] = [];
    for await (const event of login.client.followTask({ id })) {
      seen.push('seq' in event ? event.seq : event.type);
      server.expire();
    }
    assert.deepEqual(seen, [1, 2, 3, 'end']);
    const connections = server.state.calls.filter(({ path }) => path.endsWith('/events'));
    assert.deepEqual(
      connections.map(({ token, code }) => [token, code]),
      [
        ['pha_1', 200],
        ['pha_1', 401],
        ['pha_2', 200],
        ['pha_2', 401],
        ['pha_3', 200],
      ],
    );
  });

  it('follows a stream on although the token cannot be renewed for now', async () => {
    const login = await openLoggedIn();
    const seen: unknown[] = [];
    for await (const event of login.client.followTask({ id })) {
      if (seen.length === 0) server.state.faults = ['overloaded', 'cut', 'rate_limited'];
      if (seen.length === 0) server.expire();
      seen.push(event.type);
    }
    assert.deepEqual(seen, ['log', 'log', 'log', 'end']);
  });

  it('throws out of a stream when the login is over', async () => {
    const login = await openLoggedIn();
    const following = async () => {
      for await (const _ of login.client.followTask({ id })) server.endAll();
    };
    await assert.rejects(following(), { name: 'ApiError', code: 'token_invalid' });
    assert.equal(login.isLoggedIn(), false);
  });

  describe('logging out', () => {
    it('ends it here and on the server, also with an access token that has run out', async () => {
      for (const isExpired of [false, true]) {
        const login = await openLoggedIn();
        const heard = hear(login);
        if (isExpired) server.expire();
        await login.logout();
        await login.logout();
        assert.equal(server.logins(), 0);
        assert.equal(login.user(), undefined);
        assert.deepEqual(heard, [undefined]);
        assert.equal(server.state.refreshes, 0);
      }
    });

    it('is no failure when the server has ended it already', async () => {
      const login = await openLoggedIn();
      server.endAll();
      await login.logout();
      assert.equal(login.isLoggedIn(), false);
    });

    it('forgets the tokens although the server cannot be told, and says that', async () => {
      const storage = createMemoryStorage();
      const login = await openLoggedIn({ storage, storageKey: 'k' });
      server.close();
      await assert.rejects(login.logout(), { name: 'ConnectionError' });
      assert.equal(login.isLoggedIn(), false);
      assert.equal(storage.getItem('k'), null);
    });

    it('ends also the tokens that a refresh brings too late', async () => {
      const login = await openLoggedIn();
      server.expire();
      const wait = Promise.withResolvers<void>();
      server.state.onRefresh = () => wait.promise;
      const call = login.client.getMe();
      await until(() => server.state.refreshes === 1);
      await login.logout();
      wait.resolve();
      await assert.rejects(call, { code: 'token_expired' });
      await until(() => server.logins() === 0);
      assert.equal(login.isLoggedIn(), false);
    });

    it('by a call of the client is noticed', async () => {
      for (const name of ['logout', 'logoutAll'] as const) {
        const login = await openLoggedIn();
        const heard = hear(login);
        await login.client[name]();
        assert.deepEqual(heard, [undefined]);
        assert.equal(server.logins(), 0);
      }
    });
  });

  const lockings = {
    "the browser's locks": {},
    'a lock in the storage': { locks: null },
  } satisfies Record<string, Partial<LoginOptions>>;
  for (const [name, locking] of Object.entries(lockings)) {
    describe(`in two tabs, with ${name}`, () => {
      let storage: TokenStorage;
      let first: ClientLogin;
      let second: ClientLogin;
      beforeEach(async () => {
        storage = createMemoryStorage();
        first = await openLoggedIn({ storage, ...locking });
        second = open({ storage, ...locking });
      });

      it('refreshes at most once each time the token expires, and never logs out', async () => {
        const heard = [hear(first), hear(second)];
        for (let round = 1; round <= 4; round += 1) {
          server.expire();
          const calls = [first, second].flatMap(({ client }) => many.map(() => client.getMe()));
          const replies = await Promise.all(calls);
          assert.ok(replies.every(({ username }) => username === 'ada'));
          assert.equal(server.state.refreshes, round);
        }
        assert.deepEqual(heard, [[], []]);
        assert.equal(server.logins(), 1);
      });

      it('refreshes once although both see by the clock that it is time', async () => {
        const clock = { at: Date.now() + 895_000, now: () => clock.at, sleep: systemClock.sleep };
        const tabs = [open({ storage, ...locking, clock }), open({ storage, ...locking, clock })];
        await Promise.all(tabs.flatMap(({ client }) => many.map(() => client.getMe())));
        assert.equal(server.state.refreshes, 1);
      });

      it('is over in both when a refresh is refused, and asks once', async () => {
        const heard = [hear(first), hear(second)];
        server.endAll();
        const results = await Promise.allSettled([first, second].map(({ client }) => client.getMe()));
        for (const result of results) assert.equal(result.status === 'rejected' && result.reason.code, 'token_invalid');
        await until(() => heard.every(({ length }) => length > 0));
        assert.deepEqual(heard, [[undefined], [undefined]]);
        assert.equal(server.state.refreshes, 1);
      });

      it('notices in one tab what is done in the other', async () => {
        const heard = hear(second);
        await first.logout();
        await until(() => heard.length === 1);
        assert.equal(second.isLoggedIn(), false);
        await first.login(bob);
        await until(() => heard.length === 2);
        assert.deepEqual(heard, [undefined, 'bob']);
        assert.equal((await second.client.getMe()).username, 'bob');
      });
    });
  }

  it('takes over the lock of a tab that died, in time for the server to repeat its answer', async () => {
    const clock = createTestClock();
    const storage = createMemoryStorage();
    const first = await openLoggedIn({ storage, locks: null, clock });
    server.expire();
    // The first tab stops with the answer on its way, so it neither keeps the tokens nor gives the lock back.
    const wait = Promise.withResolvers<void>();
    server.state.onRefresh = () => wait.promise;
    const stopped = first.client.getMe();
    await until(() => server.state.refreshes === 1);
    server.state.onRefresh = async () => {};
    const second = open({ storage, locks: null, clock });
    assert.equal((await second.client.getMe()).username, 'ada');
    server.expire();
    await second.client.getMe();
    assert.equal(server.state.refreshes, 3);
    // And it does no harm if it was only asleep: the tokens it now gets are older than those that are kept.
    wait.resolve();
    assert.equal((await stopped).username, 'ada');
    assert.equal((await second.client.getMe()).username, 'ada');
    assert.equal(server.state.refreshes, 3);
    assert.equal(server.logins(), 1);
  });

  for (const [name, locking] of Object.entries(lockings)) {
    it(`logs nobody out where tabs see each other's writes late, with ${name}`, async () => {
      const [one, other] = createLaggingStorage(20);
      const first = await openLoggedIn({ storage: one, ...locking });
      const second = open({ storage: other, ...locking });
      await until(() => second.isLoggedIn());
      for (let round = 0; round < 5; round += 1) {
        const before = server.state.refreshes;
        server.expire();
        await Promise.all([first, second].flatMap(({ client }) => many.map(() => client.getMe())));
        const took = server.state.refreshes - before;
        // The lock may arrive before the write; then the server repeats its answer.
        assert.ok(took === 1 || (took === 2 && !('locks' in locking)), `${took} refreshes`);
        assert.equal(server.logins(), 1);
      }
    });
  }

  it('keeps apart the logins of two servers in one storage, and takes no rubbish for tokens', async () => {
    const storage = createMemoryStorage();
    await openLoggedIn({ storage });
    assert.equal(open({ storage, baseUrl: 'http://other.test' }).isLoggedIn(), false);
    for (const text of ['', '{', 'null', '{"access_token":"x"}']) {
      storage.setItem('own', text);
      assert.equal(open({ storage, storageKey: 'own' }).isLoggedIn(), false);
    }
  });

  describe('closing', () => {
    it('stores the tokens of a refresh under way, and ends every wait', async () => {
      const storage = createMemoryStorage();
      const login = await openLoggedIn({ storage, storageKey: 'k' });
      server.expire();
      const wait = Promise.withResolvers<void>();
      server.state.onRefresh = () => wait.promise;
      const call = login.client.getMe();
      await until(() => server.state.refreshes === 1);
      const closed = login.close();
      wait.resolve();
      await closed;
      assert.equal((await call).username, 'ada');
      assert.match(storage.getItem('k') ?? '', /phr_2/);
      server.expire();
      await assert.rejects(login.client.getMe(), /this login was closed/);
      assert.equal(server.state.refreshes, 1);
    });

    it('leaves no timer, lock or listener', async () => {
      let waits = 0;
      const sleep: Clock['sleep'] = (...given) => {
        waits += 1;
        return systemClock.sleep(...given).finally(() => {
          waits -= 1;
        });
      };
      const storage = createMemoryStorage();
      const login = await openLoggedIn({ storage, storageKey: 'k', locks: null, clock: { now: Date.now, sleep } });
      const heard = hear(login);
      const other = JSON.stringify({ owner: 'other', until: Date.now() + 5000 });
      storage.setItem('k lock', other);
      server.expire();
      const call = assert.rejects(login.client.getMe(), /this login was closed/);
      await until(() => waits === 1);
      await login.close();
      await call;
      assert.equal(waits, 0);
      await login.logout();
      assert.deepEqual(heard, []);
      assert.equal(storage.getItem('k lock'), other);
    });
  });
});
