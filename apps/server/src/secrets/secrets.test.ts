// Secrets over HTTP: what is kept, what is answered, and that no answer, row, audit entry or log line has a value.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { secretLimits } from '@pilothouse/contract';
import { startTestServer, type TestServer } from '../../testing/server.ts';

const canary = 'canary-Brass Lantern 7719';
const origins = ['https://github.com', 'http://localhost:8080'];
const totp = 'GEZD GNBV GY3T QOJQ GEZD GNBV GY3T QOJQ';

describe('secrets', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer({ isAuthDisabled: true });
  });
  after(async () => {
    await server?.close();
  });

  const put = (name: string, body: string) =>
    fetch(`${server.baseUrl}/api/secrets/${name}`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body,
    });
  const dump = () =>
    server.store.transaction(async ({ client }) => {
      const tables = ['secrets', 'session_secrets', 'audit', 'users'];
      const texts = await Promise.all(
        tables.map(async (table) => (await client.query(`select t::text as row from ${table} t`)).rows),
      );
      return JSON.stringify(texts);
    });

  it('are written, listed without a value, replaced and removed', async () => {
    const { client } = server;
    const { secret } = await client.putSecret({ name: 'github', value: canary, origins, totp });
    assert.deepEqual([secret.name, secret.origins, secret.has_totp], ['github', origins, true]);
    assert.equal(secret.last_used_at, null);
    assert.ok(!JSON.stringify(await client.listSecrets()).includes('canary'));
    const again = await client.putSecret({ name: 'github', value: canary, origins: ['https://github.com'] });
    assert.equal(again.secret.has_totp, false);
    assert.ok(again.secret.updated_at > secret.updated_at);
    assert.equal((await client.listSecrets()).secrets.length, 1);
    assert.equal((await client.deleteSecret({ name: 'github' })).success, true);
    await assert.rejects(client.deleteSecret({ name: 'github' }), { code: 'not_found' });
  });

  it('leave the value in no row and in no audit entry', async () => {
    const { client, store } = server;
    await client.putSecret({ name: 'kept', value: canary, origins, totp });
    const [{ owner_id: ownerId = '' } = {}] = await store.transaction(
      async (tx) => (await tx.client.query('select owner_id from secrets')).rows,
    );
    const text = await dump();
    for (const form of [canary, Buffer.from(canary).toString('hex'), Buffer.from(canary).toString('base64'), 'GEZD'])
      assert.ok(!text.includes(form), form);
    const entries = (await store.audit.of(ownerId)).filter(({ event }) => event === 'put_secret');
    assert.deepEqual(entries.at(-1)?.data, { origins: origins.length, has_totp: true });
  });

  it('refuse what is not valid, and never repeat what was sent', async () => {
    const good = { value: canary, origins };
    const wrong: [string, unknown][] = [
      ['short', { ...good, value: 'abc' }],
      ['spaces', { ...good, value: ' ab   ' }],
      ['long', { ...good, value: canary.repeat(400) }],
      ['lines', { ...good, value: `${canary}\n${canary}` }],
      ['number', { ...good, value: [canary] }],
      ['none', { ...good, origins: [] }],
      ['path', { ...good, origins: [`https://github.com/${canary}`] }],
      ['slash', { ...good, origins: ['https://github.com/'] }],
      ['default-port', { ...good, origins: ['https://github.com:443'] }],
      ['wild', { ...good, origins: ['https://*.github.com'] }],
      ['plain', { ...good, origins: ['http://github.com'] }],
      ['case', { ...good, origins: ['https://GitHub.com'] }],
      ['data', { ...good, origins: ['null'] }],
      ['twice', { ...good, origins: ['https://github.com', 'https://github.com'] }],
      ['totp', { ...good, totp: `${canary}` }],
    ];
    for (const [name, body] of wrong) {
      const response = await put(name, JSON.stringify(body));
      const text = await response.text();
      assert.equal(response.status, 400, `${name}: ${text}`);
      assert.ok(!text.includes('anary'), `${name}: ${text}`);
    }
    const broken = await put('broken', `{"value": "${canary}", "origins": [`);
    assert.equal(broken.status, 400);
    const bare = await put('bare', `{"value": ${canary}}`);
    for (const response of [broken, bare]) assert.ok(!(await response.text()).includes('anary'));
    for (const name of ['a b', '-a', 'a'.repeat(65), '%00'])
      assert.equal((await put(encodeURIComponent(name), JSON.stringify(good))).status, 400, name);
    assert.deepEqual(
      (await server.client.listSecrets()).secrets.map(({ name }) => name),
      ['kept'],
    );
  });

  it('are limited in number, by replacing none', async () => {
    const { client, store } = server;
    const [{ owner_id: ownerId = '' } = {}] = await store.transaction(
      async (tx) => (await tx.client.query('select owner_id from secrets')).rows,
    );
    await store.transaction(async (tx) => {
      for (let i = 1; i < secretLimits.count; i += 1)
        await store.secrets.put(tx, ownerId, { name: `n${i}`, value: canary, origins });
    });
    await assert.rejects(client.putSecret({ name: 'more', value: canary, origins }), { code: 'quota_exceeded' });
    await client.putSecret({ name: 'kept', value: canary, origins });
  });

  it('do not open with origins that were changed in the row', async () => {
    const { store } = server;
    const [{ owner_id: ownerId = '' } = {}] = await store.transaction(
      async (tx) => (await tx.client.query('select owner_id from secrets')).rows,
    );
    const { session } = await server.client.createSession();
    const open = await store.secrets.use(ownerId, session.id, 'kept');
    assert.equal(open?.value, canary);
    assert.deepEqual(await store.secrets.typedIn(session.id), [canary]);
    await store.transaction((tx) =>
      tx.client.query(`update secrets set origins = '{https://evil.example}' where name = 'kept'`),
    );
    await assert.rejects(store.secrets.use(ownerId, session.id, 'kept'), /authenticate/);
    await server.client.deleteSession({ id: session.id });
    assert.deepEqual(await store.secrets.typedIn(session.id), []);
  });

  it('need a key to be sealed with', async () => {
    const without = await server.another({ hasProfileKey: false });
    await assert.rejects(without.client.putSecret({ name: 'x', value: canary, origins }), { code: 'conflict' });
  });
});
