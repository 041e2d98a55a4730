import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { hash } from '@node-rs/argon2';
import { type Client, createClient, createLogin, isApiError } from '@pilothouse/sdk';
import { localUser } from '@pilothouse/store';
import { watchQueries } from '@pilothouse/store/testing/queries';
import { until } from '../../../../testkit/until.ts';
import { watch } from '../../testing/guests.ts';
import { startTestServer, type TestServer } from '../../testing/server.ts';
import { createPasswords } from './passwords.ts';
import { hashOf, newToken } from './tokens.ts';

const password = 'a long enough password';
const todaysCost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
let count = 0;

describe('authentication', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer({ isAuthDisabled: false });
  });
  after(() => server.close());

  const as = (token: string): Client => createClient({ baseUrl: server.baseUrl, token: () => token });
  async function newUser() {
    const username = `user-${++count}`;
    const { user } = await server.client.register({ username, email: `${username}@example.test`, password });
    return { ...user, login: () => server.client.login({ username_or_email: username, password }) };
  }
  /** Moves the user's logins and tokens this many seconds closer to their expiry. */
  async function pass(secs: number, { id }: { id: string }): Promise<void> {
    const later = 'set expires_at = expires_at - make_interval(secs => $1)';
    await server.store.transaction(async ({ client }) => {
      await client.query(`update logins ${later} where user_id = $2`, [secs, id]);
      for (const table of ['access_tokens', 'refresh_tokens'])
        await client.query(
          `update ${table} ${later} where login_id in (select l.id from logins l where l.user_id = $2)`,
          [secs, id],
        );
    });
  }
  const refused = (call: Promise<unknown>, code: string) => assert.rejects(call, { name: 'ApiError', code });

  it('registers without logging in, and logs in by name or address in any case', async () => {
    const { username, email, role, login } = await newUser();
    assert.equal(role, 'user');
    const tokens = await login();
    assert.deepEqual([tokens.token_type, tokens.expires_in, tokens.user.username], ['Bearer', 900, username]);
    assert.match(tokens.access_token, /^pha_/);
    assert.match(tokens.refresh_token, /^phr_/);
    for (const name of [username.toUpperCase(), email.toUpperCase()]) {
      assert.equal((await server.client.login({ username_or_email: name, password })).user.username, username);
    }
    const claims = await as(tokens.access_token).getMe();
    assert.equal(claims.sub, tokens.user.id);
    assert.equal(claims.exp - claims.iat, 900);
  });

  // One row for each body that is refused.
  const bodies: [name: string, body: object, code: string][] = [
    ['a name with an @', { username: 'a@b', email: 'x@example.test', password }, 'validation_failed'],
    ['a name too short', { username: 'ab', email: 'x@example.test', password }, 'validation_failed'],
    ['an address without an @', { username: 'valid', email: 'nowhere', password }, 'validation_failed'],
    ['a password too short', { username: 'valid', email: 'x@example.test', password: 'short' }, 'validation_failed'],
    ['a common password', { username: 'valid', email: 'x@example.test', password: 'Password1' }, 'validation_failed'],
    [
      'the name as password',
      { username: 'valid-name', email: 'x@example.test', password: 'Valid-Name' },
      'validation_failed',
    ],
    [
      'the address as password',
      { username: 'valid', email: 'xyz@example.test', password: 'xyz@example.test' },
      'validation_failed',
    ],
    ['an unknown field', { username: 'valid', email: 'x@example.test', password, role: 'admin' }, 'validation_failed'],
  ];
  for (const [name, body, code] of bodies) {
    it(`does not register ${name}`, () => refused(server.client.register(body as never), code));
  }

  it('does not register a name or an address twice, in whatever case', async () => {
    const { username, email } = await newUser();
    await refused(
      server.client.register({ username: username.toUpperCase(), email: 'other@example.test', password }),
      'user_exists',
    );
    await refused(
      server.client.register({ username: 'somebody-else', email: email.toUpperCase(), password }),
      'user_exists',
    );
  });

  it('answers a wrong name and a wrong password in the same way', async () => {
    const { username } = await newUser();
    const answers = [];
    for (const name of [username, 'nobody-at-all']) {
      const response = await fetch(`${server.baseUrl}/api/auth/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ username_or_email: name, password: 'wrong' }),
      });
      const { request_id, ...body } = (await response.json()) as Record<string, unknown>;
      answers.push([response.status, response.headers.get('www-authenticate'), body]);
    }
    assert.deepEqual(answers[0], answers[1]);
    assert.equal(answers[0]?.[0], 401);
  });

  it('rotates refresh tokens, repeats the answer to a retry, and ends the family on any other reuse', async () => {
    const { login } = await newUser();
    const first = await login();
    const second = await server.client.refresh({ refresh_token: first.refresh_token });
    const retried = await server.client.refresh({ refresh_token: first.refresh_token });
    assert.equal(retried.refresh_token, second.refresh_token);
    assert.equal(retried.access_token, second.access_token);
    const third = await server.client.refresh({ refresh_token: second.refresh_token });
    await as(third.access_token).getMe();
    await refused(server.client.refresh({ refresh_token: first.refresh_token }), 'token_invalid');
    await refused(as(third.access_token).getMe(), 'token_invalid');
    await refused(server.client.refresh({ refresh_token: third.refresh_token }), 'token_invalid');
  });

  it('accepts a token only for its own kind', async () => {
    const { login } = await newUser();
    const tokens = await login();
    await refused(as(tokens.refresh_token).getMe(), 'token_invalid');
    await refused(server.client.refresh({ refresh_token: tokens.access_token }), 'token_invalid');
    await refused(as('pha_nonsense').getMe(), 'token_invalid');
    await refused(server.client.getMe(), 'token_missing');
  });

  it('ends only this login on logout', async () => {
    const { login } = await newUser();
    const [one, other] = [await login(), await login()];
    await as(one.access_token).logout();
    await refused(as(one.access_token).getMe(), 'token_invalid');
    await refused(server.client.refresh({ refresh_token: one.refresh_token }), 'token_invalid');
    await as(other.access_token).getMe();
  });

  it('ends a login by its refresh token if the bearer has expired, but not without a bearer', async () => {
    const brief = await server.another({ lifetimes: { accessSecs: 60, refreshIdleSecs: 180, loginSecs: 3600 } });
    const user = await newUser();
    const { username } = user;
    const tokens = await brief.client.login({ username_or_email: username, password });
    assert.equal(tokens.expires_in, 60);
    await pass(50, user);
    await as(tokens.access_token).getMe();
    await pass(11, user);
    await refused(as(tokens.access_token).getMe(), 'token_expired');
    await refused(server.client.logout({ refresh_token: tokens.refresh_token }), 'token_missing');
    await refused(as(tokens.access_token).logout(), 'token_expired');
    await as(tokens.access_token).logout({ refresh_token: tokens.refresh_token });
    await refused(server.client.refresh({ refresh_token: tokens.refresh_token }), 'token_invalid');
    const idle = await brief.client.login({ username_or_email: username, password });
    await pass(181, user);
    await refused(server.client.refresh({ refresh_token: idle.refresh_token }), 'token_expired');
  });

  it('changes a password, ends every other login, and no longer accepts the old one', async () => {
    const { username, login } = await newUser();
    const [one, other] = [await login(), await login()];
    const change = (current_password: string, new_password: string) =>
      as(one.access_token).changePassword({ current_password, new_password });
    await refused(change('wrong', 'another long password'), 'invalid_credentials');
    await refused(change(password, 'password1'), 'validation_failed');
    await change(password, 'another long password');
    await as(one.access_token).getMe();
    await refused(as(other.access_token).getMe(), 'token_invalid');
    await refused(login(), 'invalid_credentials');
    await server.client.login({ username_or_email: username, password: 'another long password' });
  });

  /** Whether a statement in this database waits for a row that a transaction holds. */
  async function isWaitingForLock(): Promise<boolean> {
    const { rowCount } = await server.store.transaction(({ client }) =>
      client.query(`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`),
    );
    return (rowCount ?? 0) > 0;
  }

  const costs = { 'of today': {}, 'that is to be made better': { timeCost: 1 } };
  for (const [name, cost] of Object.entries(costs)) {
    it(`refuses a login with a password that is being changed, its hash one ${name}`, async () => {
      const { id, username, login } = await newUser();
      const { store } = server;
      const passwords = createPasswords();
      const [old, changed] = [
        await hash(password, { ...todaysCost, ...cost }),
        await passwords.hash('another one, long'),
      ];
      await store.transaction((tx) => store.users.setPassword(tx, id, old));
      const { trying } = await store.transaction(async (tx) => {
        await store.users.setPassword(tx, id, changed);
        await store.logins.endAll(tx, id, 'change_password');
        // A reader of this moment still sees the old one.
        const late = login().catch((error: unknown) => error);
        let isOver = false;
        void late.then(() => {
          isOver = true;
        });
        await until(async () => isOver || (await isWaitingForLock()), 10_000);
        return { trying: late };
      });
      assert.ok(isApiError(await trying, 'invalid_credentials'));
      assert.equal((await store.users.byId(id))?.password_hash, changed, 'nor is the old one written back');
      const tokens = await server.client.login({ username_or_email: username, password: 'another one, long' });
      assert.equal((await as(tokens.access_token).listLogins()).logins.length, 1);
    });
  }

  it('accepts several logins at once while the hash of the password is replaced by a better one', async () => {
    const { id, login } = await newUser();
    const { store } = server;
    const old = await hash(password, { ...todaysCost, timeCost: 1 });
    await store.transaction((tx) => store.users.setPassword(tx, id, old));
    const all = await Promise.all(Array.from({ length: 6 }, login));
    for (const { access_token } of all) await as(access_token).getMe();
    assert.equal(createPasswords().isOutdated((await store.users.byId(id))?.password_hash ?? ''), false);
  });

  it('changes a password once if several requests change it at once', async () => {
    const { username, login } = await newUser();
    const { access_token } = await login();
    const changes = Array.from({ length: 4 }, (_, n) => `another long password ${n}`);
    const settled = await Promise.allSettled(
      changes.map((new_password) => as(access_token).changePassword({ current_password: password, new_password })),
    );
    const done = changes.filter((_, n) => settled[n]?.status === 'fulfilled');
    assert.equal(done.length, 1);
    await server.client.login({ username_or_email: username, password: done[0] ?? '' });
  });

  it('ends all logins of a user at once, and of no other user', async () => {
    const [ann, bob] = [await newUser(), await newUser()];
    const logins = [await ann.login(), await ann.login()];
    const other = await bob.login();
    await as(logins[0]?.access_token ?? '').logoutAll();
    for (const { access_token } of logins) await refused(as(access_token).getMe(), 'token_invalid');
    await as(other.access_token).getMe();
  });

  it('lists and ends logins of the caller only', async () => {
    const [ann, bob] = [await newUser(), await newUser()];
    const [one, other] = [await ann.login(), await ann.login()];
    const stranger = await bob.login();
    const { logins } = await as(one.access_token).listLogins();
    assert.equal(logins.length, 2);
    assert.deepEqual(logins.map(({ current }) => current).sort(), [false, true]);
    const another = logins.find(({ current }) => !current)?.id ?? '';
    await refused(as(stranger.access_token).endLogin({ id: another }), 'not_found');
    await as(one.access_token).endLogin({ id: another });
    await refused(as(other.access_token).getMe(), 'token_invalid');
    await refused(as(one.access_token).endLogin({ id: another }), 'not_found');
  });

  it('gives keys to programs: for sessions and tasks, not for authentication', async () => {
    const { login } = await newUser();
    const { access_token } = await login();
    const { key } = await as(access_token).createKey({ label: 'nightly' });
    assert.match(key.key_token, /^phk_/);
    const { session } = await as(key.key_token).createSession();
    assert.deepEqual(
      (await as(access_token).listSessions()).sessions.map(({ id }) => id),
      [session.id],
    );
    await refused(as(key.key_token).getMe(), 'token_invalid');
    await refused(as(key.key_token).createKey({ label: 'more' }), 'token_invalid');
    const { keys } = await as(access_token).listKeys();
    assert.equal(keys[0]?.label, 'nightly');
    assert.ok(keys[0]?.last_used_at);
    assert.ok(!JSON.stringify(keys).includes(key.key_token));
    await as(access_token).deleteKey({ id: key.id });
    await refused(as(key.key_token).listSessions(), 'token_invalid');
  });

  it('makes no key for the built-in user, and accepts none', async () => {
    const open = await server.another({ isAuthDisabled: true });
    await assert.rejects(open.client.createKey({ label: 'for ever' }), { code: 'conflict', status: 409 });
    assert.deepEqual((await open.client.listKeys()).keys, []);
    // A key from before keys were refused.
    const token = newToken('key');
    const { id } = await server.store.keys.add(localUser.id, 'from before', hashOf(token), undefined);
    await refused(as(token).listSessions(), 'token_invalid');
    assert.deepEqual([...(await server.store.keys.stillValid([id]))], []);
    await open.client.deleteKey({ id });
  });

  it('refuses a disabled user at once', async () => {
    const { id, login } = await newUser();
    const tokens = await login();
    await server.store.users.setDisabled(id, true);
    await refused(as(tokens.access_token).getMe(), 'token_invalid');
    await refused(login(), 'invalid_credentials');
    await refused(server.client.refresh({ refresh_token: tokens.refresh_token }), 'token_invalid');
    await server.store.users.setDisabled(id, false);
    await login();
  });

  it('writes logins and admin reads to the audit', async () => {
    const [ann, root] = [await newUser(), await newUser()];
    const { access_token } = await ann.login();
    const { session } = await as(access_token).createSession();
    await isApiError(
      await server.client
        .login({ username_or_email: ann.username, password: 'wrong' })
        .catch((error: unknown) => error),
      'invalid_credentials',
    );
    await server.store.users.setRole(root.id, 'admin');
    const admin = as((await root.login()).access_token);
    await admin.getSession({ id: session.id });
    await as(access_token).logout();
    const events = (await server.store.audit.of(ann.id)).map(({ event, outcome, actor_id }) => [
      event,
      outcome,
      actor_id === root.id,
    ]);
    assert.deepEqual(events, [
      ['register', 'success', false],
      ['login', 'success', false],
      ['login', 'invalid_credentials', false],
      ['admin_read', 'success', true],
      ['logout', 'success', false],
    ]);
  });

  it('writes a list that an admin read to the audit of each owner', async () => {
    const [root, ...others] = [await newUser(), await newUser(), await newUser()];
    for (const { login } of others) {
      const client = as((await login()).access_token);
      for (const _ of [1, 2]) await client.sendChat({ prompt: 'x', steps: [{ action: 'screenshot' }] });
    }
    await server.store.users.setRole(root.id, 'admin');
    const admin = as((await root.login()).access_token);
    const queries = watchQueries();
    await admin.listSessions();
    await admin.listTasks().finally(queries.close);
    const written = queries.sent.filter(({ text }) => text.includes('into "audit"'));
    assert.equal(written.length, 2, 'one statement for each list, however many owners there are');
    for (const { id } of others) {
      const reads = (await server.store.audit.of(id)).filter(({ actor_id }) => actor_id === root.id);
      assert.deepEqual(
        reads.map(({ event, data }) => [event, data]),
        [
          ['admin_read', { list: 'sessions' }],
          ['admin_read', { list: 'tasks' }],
        ],
      );
    }
    assert.deepEqual(
      (await server.store.audit.of(root.id)).filter(({ event }) => event === 'admin_read'),
      [],
    );
  });

  it('ends the streams of a former admin, by key and by login, and no others', async () => {
    const [ann, root] = [await newUser(), await newUser()];
    await server.store.users.setRole(root.id, 'admin');
    const tokenOf = async ({ login }: { login: typeof ann.login }) => (await login()).access_token;
    const [hers, his] = [await tokenOf(ann), await tokenOf(root)];
    const { session } = await as(hers).createSession();
    const keyOf = async (token: string) => (await as(token).createKey({ label: 'watch' })).key.key_token;
    const watchBy = (token: string) => watch(server, session.id, { authorization: `Bearer ${token}` });
    const [byKey, byLogin] = [await watchBy(await keyOf(his)), await watchBy(his)];
    const own = await watchBy(await keyOf(hers));
    await own.until((event) => event.type === 'viewers' && event.viewers === 3);
    await server.store.users.setRole(root.id, 'user');
    await until(() => byKey.isOver() && byLogin.isOver(), 5000);
    // Her own stream tells her that they left.
    const counted = () => own.events().findLast((event) => event.type === 'viewers')?.viewers;
    await until(() => counted() === 1, 10_000);
    assert.equal(own.isOver(), false);
    await own.close();
  });

  it('keeps a program logged in through the SDK, with one refresh for many calls', async () => {
    const brief = await server.another({ lifetimes: { accessSecs: 60, refreshIdleSecs: 3600, loginSecs: 3600 } });
    const { username, id } = await newUser();
    const login = createLogin({ baseUrl: brief.baseUrl });
    await login.login({ username_or_email: username, password });
    for (let round = 0; round < 2; round++) {
      await pass(61, { id });
      const all = await Promise.all(Array.from({ length: 50 }, () => login.client.getMe()));
      assert.ok(all.every(({ sub }) => sub === id));
    }
    const { logins } = await login.client.listLogins();
    assert.equal(logins.length, 1);
    await login.logout();
    assert.equal(login.isLoggedIn(), false);
    await login.close();
    const refreshes = brief.logged.filter((line) => line.includes('/api/auth/refresh'));
    assert.equal(refreshes.length, 2, 'one for each time the token had run out');
  });

  it('never logs a password or a token', async () => {
    const { login } = await newUser();
    const tokens = await login();
    const text = server.logged.join('');
    for (const secret of [password, tokens.access_token, tokens.refresh_token]) assert.ok(!text.includes(secret));
  });
});
