import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError, type Client, createClient } from '@pilothouse/sdk';
import { startTestServer, type TestServer } from '../../testing/server.ts';
import { cellOf } from './audit-file.ts';

const password = 'correct horse battery';

describe('what administrators see and do', () => {
  let server: TestServer;
  let admin: { id: string; client: Client };
  let ann: { id: string; client: Client };
  before(async () => {
    server = await startTestServer({ isAuthDisabled: false });
    admin = await userNamed('root', 'admin');
    ann = await userNamed('ann', 'user');
  });
  after(() => server?.close());

  async function userNamed(username: string, role: 'user' | 'admin') {
    const { user } = await server.client.register({ username, email: `${username}@example.test`, password });
    await server.store.users.setRole(user.id, role);
    const { baseUrl } = server;
    const { access_token } = await createClient({ baseUrl }).login({ username_or_email: username, password });
    return { id: user.id, client: createClient({ baseUrl, token: () => access_token }) };
  }
  const refused =
    (code: string, words = /./) =>
    (error: unknown) =>
      error instanceof ApiError && error.code === code && words.test(error.message);
  const newHost = (hostId: string) =>
    server.store.hosts.renew({ hostId, bootId: randomUUID(), capacity: 8, sessions: [], leaseMs: 60_000 });

  it('nobody else does, also not with the key of an administrator', async () => {
    await assert.rejects(ann.client.listAdminUsers(), refused('forbidden', /Only administrators/));
    const { key } = await admin.client.createKey({ label: 'a program' });
    const program = createClient({ baseUrl: server.baseUrl, token: () => key.key_token });
    await assert.rejects(program.getAdminOverview(), refused('token_invalid'));
  });

  it('the overview counts open tasks, hosts and browsers', async () => {
    await newHost('browser-7');
    await ann.client.sendChat({ prompt: 'x', steps: [{ action: 'screenshot' }] });
    const { overview } = await admin.client.getAdminOverview();
    assert.deepEqual([overview.hosts.live, overview.browsers], [1, { slots: 8, free: 8 }]);
    assert.deepEqual(
      overview.tasks.map(({ status, waits_for, count }) => [status, waits_for, count]),
      [['pending', 'agent', 1]],
    );
  });

  it('tasks of all users, without a word of them, and that they were read is in the audit', async () => {
    const secret = 'the words of ann';
    await ann.client.sendChat({ prompt: secret, steps: [{ action: 'screenshot' }] });
    const { tasks } = await admin.client.listAdminTasks({ user: 'ANN', waits_for: 'agent' });
    assert.ok(tasks.length > 0 && tasks.every(({ username }) => username === 'ann'));
    assert.ok(!JSON.stringify(tasks).includes(secret));
    const { entries } = await admin.client.listAudit({ event: 'admin_read' });
    assert.deepEqual(entries[0]?.data, { list: 'tasks', user: 'ANN' });
    assert.deepEqual([entries[0]?.actor, entries[0]?.user_id], ['root', null]);
    await assert.rejects(admin.client.listAdminTasks({ user: 'nobody' }), refused('validation_failed', /no such user/));
    await assert.rejects(admin.client.listAdminUsers({ cursor: 'x' }), refused('validation_failed'));
  });

  it('a user who is disabled is out at once, and can be enabled', async () => {
    const bob = await userNamed('bob', 'user');
    await admin.client.changeUser({ id: bob.id, disabled: true });
    await assert.rejects(bob.client.getMe(), refused('token_invalid'));
    const { users } = await admin.client.listAdminUsers({ user: 'bob@example.test' });
    assert.deepEqual([users.length, users[0]?.disabled_at !== null], [1, true]);
    const login = { username_or_email: 'bob', password };
    await assert.rejects(server.client.login(login));
    await admin.client.changeUser({ id: bob.id, disabled: false });
    await server.client.login(login);
    const { entries } = await admin.client.listAudit({ user: bob.id, limit: 200 });
    const done = entries.filter(({ event }) => event.startsWith('admin_'));
    assert.deepEqual(
      done.map(({ event, actor }) => [event, actor]),
      [
        ['admin_enable', 'root'],
        ['admin_disable', 'root'],
      ],
    );
    await assert.rejects(admin.client.changeUser({ id: admin.id, disabled: true }), refused('conflict', /yourself/));
    await assert.rejects(admin.client.changeUser({ id: randomUUID(), disabled: true }), refused('not_found'));
  });

  it('a host gets a limit, and the default again; one that nobody knows does not', async () => {
    await newHost('browser-8');
    const limitOf = async () =>
      (await admin.client.listAdminHosts()).hosts.find(({ id }) => id === 'browser-8')?.max_sessions;
    await admin.client.changeHost({ id: 'browser-8', max_sessions: 2 });
    assert.equal(await limitOf(), 2);
    assert.equal((await newHost('browser-8')).capacity, 2, 'the next heartbeat is told');
    await admin.client.changeHost({ id: 'browser-8', max_sessions: null });
    assert.equal(await limitOf(), null);
    await assert.rejects(admin.client.changeHost({ id: 'browser-9', max_sessions: 2 }), refused('not_found'));
    assert.deepEqual((await admin.client.listAdminAgents()).agents, []);
  });

  it('the audit as a file has every line once, also over pages, and runs no formula', async () => {
    const hostile = '=HYPERLINK("http://127.0.0.1/")';
    const entries = Array.from({ length: 1203 }, () => ({
      ...{ event: 'of a test', outcome: hostile, userId: ann.id, address: '+1' },
      data: { words: '"a",\r\n=1+1' },
    }));
    await server.store.audit.addAll(entries);
    const filter = { event: 'of a test', user: 'ann' };
    const lines = (await (await admin.client.exportAudit(filter)).text()).trimEnd().split('\n');
    assert.equal(new Set(lines.map((line) => JSON.parse(line).id)).size, 1203);
    const response = await admin.client.exportAudit({ ...filter, format: 'csv' });
    assert.match(response.headers.get('content-type') ?? '', /^text\/csv/);
    assert.equal(response.headers.get('content-disposition'), 'attachment; filename="audit.csv"');
    const rows = (await response.text()).trimEnd().split('\r\n');
    assert.equal(rows.length, 1204);
    assert.ok(rows[0]?.startsWith('"recorded_at","event","outcome","username"'));
    assert.match(rows[1] ?? '', /,"of a test","'=HYPERLINK\(""http:\/\/127\.0\.0\.1\/""\)","ann",.*,"'\+1",/);
    const { entries: taken } = await admin.client.listAudit({ event: 'audit_taken' });
    assert.deepEqual(taken[0]?.data, { format: 'csv', ...filter });
    await assert.rejects(ann.client.exportAudit(), refused('forbidden'));
  });

  it('the audit without names and origins of secrets and hosts of a policy, also where they were once written down', async () => {
    const gus = await userNamed('gus', 'user');
    const origins = ['https://words.example', 'https://more-words.example'];
    await gus.client.putSecret({ name: 'words', value: 'canary-canary', origins });
    await gus.client.deleteSecret({ name: 'words' });
    await gus.client.setPolicy({ mode: 'careful', deny: ['words.example'], watch: [] });
    const old = { outcome: 'success', userId: gus.id };
    await server.store.audit.addAll([
      { ...old, event: 'put_secret', data: { name: 'words', origins, has_totp: false } },
      { ...old, event: 'delete_secret', data: { name: 'words' } },
      { ...old, event: 'policy_changed', data: { mode: 'careful', deny: ['words.example'], watch: [] } },
    ]);
    for (const [event, data] of Object.entries({
      put_secret: { origins: 2, has_totp: false },
      delete_secret: {},
      policy_changed: { mode: 'careful', deny: 1, watch: 0 },
    })) {
      const { entries } = await admin.client.listAudit({ event, user: 'gus' });
      assert.deepEqual(
        entries.map((one) => one.data),
        [data, data],
      );
    }
    for (const format of ['csv', 'ndjson'] as const)
      assert.ok(!(await (await admin.client.exportAudit({ user: 'gus', format })).text()).includes('words'), format);
    const rows = (await server.store.audit.of(gus.id)).map(({ data }) => JSON.stringify(data));
    assert.equal(rows.filter((row) => row.includes('words')).length, 3, 'only the old ones');
  });

  it('the audit as a file is cut when its administrator is one no more, is disabled, or logs out', async () => {
    const words = 'x'.repeat(20_000);
    const entries = Array.from({ length: 1500 }, () => ({ event: 'long', outcome: 'success', data: { words } }));
    await server.store.audit.addAll(entries);
    const { users } = server.store;
    for (const [name, end] of Object.entries({
      eve: ({ id }: typeof ann) => users.setRole(id, 'user'),
      fay: ({ id }: typeof ann) => users.setDisabled(id, true),
      gil: ({ client }: typeof ann) => client.logout(),
    })) {
      const one = await userNamed(name, 'admin');
      const response = await one.client.exportAudit({ event: 'long' });
      await end(one);
      // Longer than it takes to ask who still may, and shorter than a peer may take nothing.
      await sleep(2500);
      await assert.rejects(response.text(), name);
    }
  });
});

it('a cell of a spreadsheet is text, whatever it begins with', () => {
  for (const text of ['=1', '+1', '-1', '@x', '\t=1', '\r=1', ' =1', '\u200b=1', '＝1', '\n1'])
    assert.equal(cellOf(text), `"'${text}"`);
  assert.equal(cellOf('a "b", c'), '"a ""b"", c"');
  assert.equal(cellOf('login'), '"login"');
});
