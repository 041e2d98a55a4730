import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { sendRaw } from '../../testing/raw-http.ts';
import { startTestServer, type TestServer } from '../../testing/server.ts';

const user = JSON.stringify({ username: 'mallory', email: 'mallory@example.test', password: 'correct horse battery' });

async function statusOf(server: TestServer, line: string, headers: Record<string, string>, body = ''): Promise<number> {
  const length: Record<string, string> = body
    ? { 'content-type': 'application/json', 'content-length': `${body.length}` }
    : {};
  const lines = Object.entries({ connection: 'close', ...length, ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  const bytes = Buffer.from(`${line} HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
  const [answer] = await sendRaw(Number(new URL(server.baseUrl).port), bytes, { halfClose: false });
  assert.equal(
    answer?.headers.get('cross-origin-resource-policy'),
    'same-origin',
    `${line} ${JSON.stringify(headers)}`,
  );
  assert.equal(answer?.headers.get('x-content-type-options'), 'nosniff');
  return answer?.status ?? 0;
}

describe('without authentication', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer({ isAuthDisabled: true, allowedHosts: ['house.test'] });
  });
  after(() => server.close());

  it('requests for another host name are refused on every route', async () => {
    const [rebound, ours] = [{ host: 'evil.test:4000' }, { host: 'localhost:4000' }];
    for (const path of [
      '/api/health',
      '/api/ready',
      '/api/openapi.json',
      '/api/sessions',
      '/',
      '/share',
      '/assets/script-1.js',
    ]) {
      assert.equal(await statusOf(server, `GET ${path}`, rebound), 400, path);
      assert.equal(await statusOf(server, `GET ${path}`, {}), 400, `${path} without a Host`);
    }
    assert.equal(await statusOf(server, 'POST /api/auth/register', rebound, user), 400);
    assert.equal(await statusOf(server, 'POST /api/auth/register', { host: '192.0.2.1' }, user), 400);
    for (const host of ['127.0.0.1', 'LOCALHOST:1', '[::1]:4000', 'house.test'])
      assert.equal(await statusOf(server, 'GET /api/health', { host }), 200, host);
    assert.equal(await statusOf(server, 'POST /api/auth/register', ours, user), 201);
  });

  it('no page of another origin reaches a public route either', async () => {
    const foreign = { host: 'localhost', origin: 'http://evil.test' };
    assert.equal(await statusOf(server, 'GET /api/health', foreign), 400);
    assert.equal(await statusOf(server, 'POST /api/auth/login', foreign, user), 400);
    assert.equal(await statusOf(server, 'GET /api/health', { host: 'localhost', origin: 'http://localhost' }), 200);
  });
});

describe('with authentication', () => {
  let server: TestServer;
  let named: TestServer;
  before(async () => {
    server = await startTestServer({ isAuthDisabled: false });
    named = await server.another({ allowedHosts: ['House.test'] });
  });
  after(() => server.close());

  it('a Host must be a possible name or address; without chosen names any is accepted', async () => {
    for (const host of ['a/b', 'a b', 'a@b', 'http://a', 'a:b', 'a:123456', '[::1', '', 'a"b', '-a'])
      assert.equal(await statusOf(server, 'GET /api/health', { host }), 400, host);
    for (const host of ['a', 'a.example:80', 'xn--bcher-kva.example', 'a_b', '192.0.2.1:4000', '[2001:db8::1]:80'])
      assert.equal(await statusOf(server, 'GET /api/health', { host }), 200, host);
  });

  it('only chosen names and addresses are accepted, if names are chosen', async () => {
    for (const host of ['evil.test', 'house.test.evil.test', 'sub.house.test'])
      for (const path of ['/', '/api/health', '/api/sessions'])
        assert.equal(await statusOf(named, `GET ${path}`, { host }), 400, `${host} ${path}`);
    for (const host of ['house.test', 'HOUSE.test:8443', 'localhost', '10.1.2.3'])
      assert.equal(await statusOf(named, 'GET /api/health', { host }), 200, host);
  });

  it('pages of other sites cannot call the API, but may link to the page', async () => {
    const from = (site: string, mode: string) => ({ host: 'a', 'sec-fetch-site': site, 'sec-fetch-mode': mode });
    for (const path of ['/api/health', '/api/sessions', '/api/openapi.json'])
      for (const mode of ['no-cors', 'cors', 'navigate'])
        assert.equal(await statusOf(server, `GET ${path}`, from('cross-site', mode)), 400, `${path} ${mode}`);
    assert.equal(await statusOf(server, 'POST /api/auth/register', from('cross-site', 'no-cors'), user), 400);
    assert.equal(await statusOf(server, 'GET /', from('cross-site', 'navigate')), 200);
    for (const site of ['same-origin', 'same-site', 'none'])
      assert.equal(await statusOf(server, 'GET /api/health', from(site, 'cors')), 200, site);
  });

  it('the page shares no browsing context group with pages of other origins', async () => {
    for (const path of ['/', '/docs']) {
      const page = await fetch(server.baseUrl + path);
      assert.equal(page.headers.get('cross-origin-opener-policy'), 'same-origin', path);
      assert.equal(page.headers.get('cross-origin-resource-policy'), 'same-origin', path);
    }
  });
});

describe('a server without a key for browser states', () => {
  it('says so in its health', async () => {
    const server = await startTestServer({ isAuthDisabled: false, hasProfileKey: false });
    const { notices } = await server.client.getHealth();
    assert.equal(notices.length, 1);
    assert.match(notices[0] ?? '', /PROFILE_KEY is not set/);
    await server.close();
  });
});

describe('a client that does not finish what it began', () => {
  it('is answered and cut soon after the time for its headers is over', { timeout: 30_000 }, async () => {
    const server = await startTestServer({ isAuthDisabled: false });
    const begun = performance.now();
    const sockets = Array.from({ length: 50 }, () => {
      const socket = connect(Number(new URL(server.baseUrl).port), '127.0.0.1');
      const ended = Promise.withResolvers<{ text: string; ms: number }>();
      let text = '';
      socket.on('data', (chunk) => {
        text += chunk;
      });
      socket.on('error', () => {});
      socket.on('close', () => ended.resolve({ text, ms: performance.now() - begun }));
      socket.write('GET /api/health HTTP/1.1\r\nHost: a\r\n');
      // A header now and then, and never the last.
      const trickle = setInterval(() => socket.write('X-A: b\r\n'), 1000);
      socket.on('close', () => clearInterval(trickle));
      return ended.promise;
    });
    for (const { text, ms } of await Promise.all(sockets)) {
      assert.match(text, /^HTTP\/1\.1 408 /);
      // A lower bound, since Node has no clock to set: a busy machine answers later, and never sooner.
      assert.ok(ms > 14_000 && ms < 21_000, `after ${ms} ms`);
    }
    await server.close();
  });
});
