import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { after, before, beforeEach, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { localUser, newId, openStore, type Store, type UserRow } from '@pilothouse/store';
import { createTestDatabase, type TestDatabase } from '@pilothouse/store/testing';
import { createAdmin } from './admin/admin.ts';
import { parseCommand, Refusal, usage } from './admin/command.ts';
import { createAuthLimits, identifierKey } from './auth/auth.limits.ts';
import { createPasswords } from './auth/passwords.ts';
import { hashOf, newToken } from './auth/tokens.ts';

const main = fileURLToPath(new URL('admin.main.ts', import.meta.url));

describe('the admin command', () => {
  let database: TestDatabase;
  let store: Store;
  let user: UserRow;
  let access: Buffer;
  const passwords = createPasswords();
  before(async () => {
    database = await createTestDatabase();
    store = openStore({ url: database.url, blobDir: '/nonexistent', onError: () => {} });
    await store.users.ensureLocal();
  });
  after(async () => {
    await store.close();
    await database.close();
  });
  beforeEach(async () => {
    const username = `Ann-${newId()}`;
    const passwordHash = await passwords.hash('the old one');
    const created = await store.transaction((tx) =>
      store.users.create(tx, { username, email: `${username}@example.test`, passwordHash }),
    );
    assert.ok(created);
    user = created;
    access = hashOf(newToken('access'));
    const login = { userId: user.id, address: '192.0.2.1', userAgent: 'a \x9b2J browser' };
    await store.transaction((tx) => store.logins.begin(tx, login, { access, refresh: hashOf(newToken('refresh')) }));
  });

  async function admin(args: string[], { input = '', env = {} }: { input?: string; env?: NodeJS.ProcessEnv } = {}) {
    const child = spawn(process.execPath, [main, ...args], { env: { DATABASE_URL: database.url, ...env } });
    // A command that does not read may have ended before the write.
    child.stdin.on('error', () => {}).end(input);
    const [out, err, code] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      new Promise<number | null>((resolve) => child.on('close', resolve)),
    ]);
    return { out: out.trimEnd(), err: err.trimEnd(), code };
  }
  const now = async () => {
    const row = await store.users.byId(user.id);
    assert.ok(row);
    return row;
  };
  const isLoggedIn = async () => (await store.logins.holderOf(access)) !== undefined;
  const audited = async () =>
    (await store.audit.of(user.id)).map(({ event, outcome, actor_id, data }) => ({ event, outcome, actor_id, data }));
  const line = (event: string, outcome = 'success') => ({ event, outcome, actor_id: null, data: { by: 'command' } });

  it('promotes and demotes users, by name or e-mail address in any case', async () => {
    assert.deepEqual(await admin(['promote', user.username.toLowerCase()]), {
      out: `${user.username} is an admin`,
      err: '',
      code: 0,
    });
    assert.equal((await now()).role, 'admin');
    assert.equal((await admin(['demote', user.email.toUpperCase()])).code, 0);
    assert.equal((await now()).role, 'user');
    assert.ok(!(await isLoggedIn()), 'what an admin was watching ends with it');
    assert.deepEqual(await audited(), [line('admin_promote'), line('admin_demote')]);
  });

  it('disables a user, whose logins end, and enables them again', async () => {
    const { out, code } = await admin(['disable', user.username]);
    assert.equal(code, 0);
    assert.match(out, /is disabled, 1 login ended$/);
    assert.ok((await now()).disabled_at);
    assert.equal((await admin(['enable', user.username])).code, 0);
    assert.equal((await now()).disabled_at, null);
    assert.ok(!(await isLoggedIn()), 'what has ended stays so');
    assert.deepEqual(await audited(), [line('admin_disable'), line('admin_enable')]);
  });

  it('sets a password that it reads from the input, and ends all logins', async () => {
    const { out, err, code } = await admin(['set-password', user.username], { input: 'grüße vom Leuchtturm\n' });
    assert.equal(err, '');
    assert.equal(code, 0);
    assert.match(out, /has a new password, 1 login ended$/);
    assert.ok(await passwords.verify((await now()).password_hash, 'grüße vom Leuchtturm'));
    assert.ok(!(await isLoggedIn()));
    assert.deepEqual(await audited(), [line('admin_set_password')]);
  });

  it('refuses one of the most common passwords', async () => {
    const { out, err, code } = await admin(['set-password', user.username], { input: 'password123' });
    assert.deepEqual({ out, err, code }, { out: '', err: 'The password is one of the most common.', code: 1 });
  });

  const bad: [why: string, password: string][] = [
    ['is missing', ''],
    ['is short', 'short'],
    ['is short for the setting', 'eleven long'],
    ['is too long', 'x'.repeat(257)],
    ['is the name', 'THE NAME'],
  ];
  for (const [why, given] of bad) {
    it(`refuses a password that ${why}, and changes nothing`, async () => {
      const readPassword = async () => (given === 'THE NAME' ? user.username.toUpperCase() : given);
      const places = { open: () => assert.fail(), tell: () => {}, signal: AbortSignal.any([]) };
      const { run } = createAdmin({ store, passwords, minPasswordLength: 12, readPassword, places });
      await assert.rejects(run({ name: 'set-password', user: user.username }), (error: unknown) => {
        assert.ok(error instanceof Refusal);
        assert.match(error.message, /^The password [^\n]+$/);
        return true;
      });
      assert.deepEqual(await now(), user);
      assert.ok(await isLoggedIn());
      assert.deepEqual(await audited(), [line('admin_set_password', 'refused')]);
    });
  }

  it('limits the sessions of a host, and lists the hosts', async () => {
    const host = `host-${newId()}`;
    await store.hosts.renew({
      hostId: host,
      bootId: newId(),
      capacity: 40,
      sessions: [],
      leaseMs: 60_000,
      maxSessions: 8,
    });
    const of = async () => (await admin(['hosts'])).out.split('\n').find((one) => one.startsWith(host));
    assert.equal(await of(), `${host}  0 of 8 sessions, claims 40  limit default`);
    assert.deepEqual(await admin(['host', host, '12']), { out: `${host} may hold 12 sessions`, err: '', code: 0 });
    await store.hosts.renew({
      hostId: host,
      bootId: newId(),
      capacity: 40,
      sessions: [],
      leaseMs: 60_000,
      maxSessions: 8,
    });
    assert.equal(await of(), `${host}  0 of 12 sessions, claims 40  limit 12`);
    const removed = await admin(['remove-host', host]);
    assert.deepEqual(
      [removed.code, /No host .* joined by itself/.test(removed.err)],
      [1, true],
      'it has a user by name',
    );
    assert.deepEqual((await admin(['host', host, 'default'])).out, `${host} has the default limit`);
    assert.match((await of()) ?? '', /limit default$/);
    for (const args of [['host'], ['host', host], ['host', 'a b', '1'], ['host', host, '-1'], ['host', host, '10001']])
      assert.equal(parseCommand(args), undefined, args.join(' '));
  });

  it('forgets the failed logins of one user, from every address, and of no other user', async () => {
    const settings = {
      loginPerIdentifier: 1,
      loginPerAddress: 9,
      registerPerAddress: 9,
      refreshPerFamily: 9,
      refreshPerAddress: 9,
    };
    const { loginOfIdentifier } = createAuthLimits(store, settings);
    const theirs = [user.username, user.email, `change ${user.id}`].flatMap((identifier) =>
      ['192.0.2.1', '2001:db8::1'].map((address) => identifierKey(address, identifier)),
    );
    const others = [identifierKey('192.0.2.1', `x${user.username}`), identifierKey('192.0.2.1', `x ${user.username}`)];
    for (const key of [...theirs, ...others]) await loginOfIdentifier.spend(key);
    const { out, code } = await admin(['unlock', user.username]);
    assert.equal(code, 0);
    assert.match(out, /is unlocked, 6 counters forgotten$/);
    for (const key of theirs) await loginOfIdentifier.spend(key);
    for (const key of others) await assert.rejects(loginOfIdentifier.spend(key), { code: 'rate_limited' });
    assert.deepEqual(await audited(), [line('admin_unlock')]);
  });

  it('lists users and their logins, without control characters', async () => {
    const users = await admin(['list']);
    assert.equal(users.code, 0);
    assert.ok(users.out.includes(`${user.id}  ${user.username}  ${user.email}  user`));
    assert.ok(!users.out.includes('argon2'));
    const logins = await admin(['logins', user.username]);
    assert.match(logins.out, /has 1 login\n[^\n]+ {2}192\.0\.2\.1 {2}a \?2J browser$/);
    assert.deepEqual(await audited(), [line('admin_logins')]);
  });

  it('refuses unknown users and the built-in user', async () => {
    assert.deepEqual(await admin(['promote', 'nobody']), { out: '', err: 'There is no user nobody.', code: 1 });
    const { err, code } = await admin(['set-password', localUser.username], { input: 'a password for all' });
    assert.equal(code, 1);
    assert.match(err, /built-in/);
    assert.equal((await store.users.byId(localUser.id))?.password_hash, null);
  });

  it('prints its usage, and reads no password from the command line', async () => {
    const misuses = [[], ['promote'], ['promote', ''], ['crown', 'ann'], ['list', 'ann']];
    for (const args of misuses) assert.equal(parseCommand(args), undefined, args.join(' '));
    const { out, err, code } = await admin(['set-password', user.username, 'a new password']);
    assert.deepEqual({ out, err, code }, { out: '', err: usage, code: 2 });
    const without = await admin(['list'], { env: { DATABASE_URL: '' } });
    assert.equal(without.code, 2);
    assert.match(without.err, /DATABASE_URL: is required/);
  });

  it('says in one line that the database cannot be reached', async () => {
    const { err, code } = await admin(['list'], { env: { DATABASE_URL: 'postgresql://127.0.0.1:9/none' } });
    assert.equal(code, 1);
    assert.match(err, /^failed: [^\n]+$/);
  });
});
