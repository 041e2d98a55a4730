import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@pilothouse/sdk';
import pg from 'pg';
import { WebSocket } from 'ws';
import { until } from '../../../../testkit/until.ts';
import { startTestServer, type TestServer } from '../../testing/server.ts';

const wantsSocket = [
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
];

describe('requests that want another protocol', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer({ isAuthDisabled: false });
  });
  after(() => server?.close());

  /** The first line of the answer. */
  function ask(path: string, headers: string[]): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const { hostname, port, host } = new URL(server.baseUrl);
    const socket = connect(Number(port), hostname, () =>
      socket.write([`GET ${path} HTTP/1.1`, `Host: ${host}`, ...headers, '', ''].join('\r\n')),
    );
    socket.once('data', (data) => {
      resolve(data.toString().split('\r\n')[0] ?? '');
      socket.destroy();
    });
    socket.once('error', reject);
    return promise;
  }
  const offersHttp2 = ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAAP__'];

  it('are answered as ever where they only offer it', async () => {
    assert.equal(await ask('/api/health', offersHttp2), 'HTTP/1.1 200 OK');
    assert.equal(await ask('/api/health', wantsSocket), 'HTTP/1.1 200 OK');
  });

  it('are refused without a login, at the path of programs', async () => {
    const path = '/cdp/01890a5d-ac96-774b-bcce-b302099a8057';
    assert.match(await ask(path, wantsSocket), /^HTTP\/1\.1 401 /);
    assert.match(await ask(`${path}?ticket=pht_x`, wantsSocket), /^HTTP\/1\.1 401 /);
  });

  it('leave their ticket in no log line', async () => {
    const password = 'correct horse battery';
    await server.client.register({ username: 'ada', email: 'ada@example.test', password });
    const { access_token } = await server.client.login({ username_or_email: 'ada', password });
    const client = createClient({ baseUrl: server.baseUrl, token: () => access_token });
    const { session } = await client.createSession({});
    const { cdp } = await client.openProgramAccess({ id: session.id });
    const socket = new WebSocket(cdp.ws_url);
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    socket.terminate();
    // A second time it counts no more.
    assert.match(await ask(cdp.ws_url.slice(cdp.ws_url.indexOf('/cdp/')), wantsSocket), /^HTTP\/1\.1 401 /);
    assert.ok(server.logged.some((line) => line.includes('/api/sessions')));
    assert.deepEqual(
      server.logged.filter((line) => line.includes(cdp.ticket)),
      [],
    );
  });
});

describe('programs that connect with a key', () => {
  const password = 'correct horse battery';

  async function newKey(server: TestServer, username: string) {
    const { user } = await server.client.register({ username, email: `${username}@example.test`, password });
    const { access_token } = await server.client.login({ username_or_email: username, password });
    const client = createClient({ baseUrl: server.baseUrl, token: () => access_token });
    const { session } = await client.createSession({});
    const { key } = await client.createKey({ label: 'a program' });
    return { userId: user.id, sessionId: session.id, token: key.key_token };
  }
  type Key = Awaited<ReturnType<typeof newKey>>;
  /** The status of the answer, and what closes the socket. */
  async function open({ baseUrl }: TestServer, { sessionId, token }: Key, headers: Record<string, string> = {}) {
    const url = `${baseUrl.replace('http', 'ws')}/cdp/${sessionId}`;
    const socket = new WebSocket(url, { headers: { authorization: `Bearer ${token}`, ...headers } });
    const { promise, resolve } = Promise.withResolvers<number>();
    socket.on('error', () => {});
    socket.once('open', () => resolve(101));
    socket.once('unexpected-response', (_, response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    return { status: await promise, end: () => socket.terminate() };
  }

  it('are no more than a user may have, also where they come at once, and have their places back', async () => {
    const server = await startTestServer({ isAuthDisabled: false });
    const key = await newKey(server, 'ada');
    for (let round = 0; round < 2; round += 1) {
      const sockets = await Promise.all(Array.from({ length: 80 }, () => open(server, key)));
      const counts = [101, 429].map((status) => sockets.filter((one) => one.status === status).length);
      assert.deepEqual(counts, [32, 48]);
      for (const socket of sockets) socket.end();
      await until(async () => {
        const one = await open(server, key);
        one.end();
        return one.status === 101;
      }, 5000);
      await sleep(500);
    }
    await server.close();
  });

  it('spend a write each', async () => {
    const server = await startTestServer({ isAuthDisabled: false, callLimits: { write: 4 } });
    const key = await newKey(server, 'bob'); // The session was one, too.
    const statuses = [];
    for (let i = 0; i < 4; i += 1) {
      const socket = await open(server, key);
      statuses.push(socket.status);
      socket.end();
    }
    assert.deepEqual(statuses, [101, 101, 101, 429]);
    await server.close();
  });

  it('are in the audit with the address that a trusted proxy names, and no other', async () => {
    const server = await startTestServer({ isAuthDisabled: false });
    const behind = await server.another({ trustedProxies: ['127.0.0.1'] });
    const key = await newKey(server, 'eve');
    for (const [at, address] of [
      [server, '127.0.0.1'],
      [behind, '203.0.113.7'],
    ] as const) {
      const socket = await open(at, key, { 'x-forwarded-for': '198.51.100.1, 203.0.113.7' });
      assert.equal(socket.status, 101);
      socket.end();
      for (const event of ['program_connected', 'program_disconnected'])
        await until(
          async () =>
            (await server.store.audit.of(key.userId)).some((one) => one.event === event && one.address === address),
          5000,
        );
    }
    await server.close();
  });
});

describe('a server that stops', () => {
  it('waits no long time for a program that stands still', async () => {
    const server = await startTestServer({ isAuthDisabled: true });
    const { session } = await server.client.createSession({});
    const { hostname, port, host } = new URL(server.baseUrl);
    const frozen = connect(Number(port), hostname);
    const lines = [`GET /cdp/${session.id} HTTP/1.1`, `Host: ${host}`, ...wantsSocket];
    frozen.write([...lines, '', ''].join('\r\n'));
    const [answer] = await once(frozen, 'data');
    assert.match(String(answer), /^HTTP\/1\.1 101 /);
    frozen.on('error', () => {}).pause();
    const begun = performance.now();
    await server.close();
    const tookMs = performance.now() - begun;
    frozen.destroy();
    assert.ok(tookMs < 6000, `${tookMs} ms`);
  });
});

describe('the socket of a program whose right has ended', () => {
  let server: TestServer;
  let other: TestServer;
  const password = 'correct horse battery';
  const boundMs = 1500;
  before(async () => {
    server = await startTestServer({ isAuthDisabled: false });
    other = await server.another();
    await server.client.register({ username: 'ada', email: 'ada@example.test', password });
  });
  after(() => server?.close());

  async function login() {
    const { access_token, refresh_token } = await server.client.login({ username_or_email: 'ada', password });
    const at = (one: TestServer) => createClient({ baseUrl: one.baseUrl, token: () => access_token });
    return { client: at(server), elsewhere: at(other), token: access_token, refresh_token };
  }

  /** Returns what waits until it is closed, and fails beyond the bound. */
  async function connect(session: string, headers: Record<string, string>, url?: string) {
    const socket = new WebSocket(url ?? `${server.baseUrl.replace('http', 'ws')}/cdp/${session}`, { headers });
    await once(socket, 'open');
    const closed = once(socket, 'close');
    return async (end: () => Promise<unknown>) => {
      const begun = performance.now();
      const [code] = await Promise.all([
        closed.then(([given]) => given as number),
        end(), // at another server: this one hears of it, or asks the database
      ]);
      const tookMs = performance.now() - begun;
      assert.ok(tookMs < boundMs, `${tookMs} ms`);
      return code;
    };
  }

  it('is closed in time when its key is revoked', async () => {
    const { client, elsewhere } = await login();
    const { session } = await client.createSession({});
    const { key } = await client.createKey({ label: 'a program' });
    const closes = await connect(session.id, { authorization: `Bearer ${key.key_token}` });
    await closes(() => elsewhere.deleteKey({ id: key.id }));
  });

  it('is closed in time when its user logs out, also where a ticket opened it', async () => {
    for (const isTicket of [false, true]) {
      const { client, elsewhere, token } = await login();
      const { session } = await client.createSession({});
      const { cdp } = await client.openProgramAccess({ id: session.id });
      const closes = await connect(
        session.id,
        isTicket ? {} : { authorization: `Bearer ${token}` },
        isTicket ? cdp.ws_url : undefined,
      );
      await closes(() => elsewhere.logout());
    }
  });

  it('is closed in time also where nobody announced it', async () => {
    const { client } = await login();
    const { session } = await client.createSession({});
    const { key } = await client.createKey({ label: 'a program' });
    const closes = await connect(session.id, { authorization: `Bearer ${key.key_token}` });
    const db = new pg.Client(server.databaseUrl);
    await db.connect();
    await closes(() => db.query('update api_keys set removed_at = now() where id = $1', [key.id]));
    await db.end();
  });
});
