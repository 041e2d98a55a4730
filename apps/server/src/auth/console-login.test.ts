import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { type ClientLogin, createLogin } from '@pilothouse/sdk';
import { until } from '../../../../testkit/until.ts';
import { createCookieJar } from '../../testing/cookie-jar.ts';
import { startTestServer, type TestServer } from '../../testing/server.ts';

const password = 'a long enough password';
const own = { 'x-pilothouse-console': '1' };
let count = 0;

describe('a login in a page', () => {
  let server: TestServer;
  const opened: ClientLogin[] = [];
  before(async () => {
    server = await startTestServer({ isAuthDisabled: false, trustedProxies: ['127.0.0.1'] });
  });
  after(async () => {
    for (const login of opened) await login.close();
    await server.close();
  });

  const newUser = async () => {
    const username = `page-${++count}`;
    await server.client.register({ username, email: `${username}@example.test`, password });
    return { username_or_email: username, password };
  };
  type Jar = ReturnType<typeof createCookieJar>;
  const newJar = () => createCookieJar(server.baseUrl);
  /** A tab of the browser that has this jar. The storage holds only the lock. */
  const openTab = ({ fetch }: Jar, key: string) => {
    const login = createLogin({ baseUrl: server.baseUrl, cookie: true, fetch, storageKey: key });
    opened.push(login);
    return login;
  };
  const newBrowser = async () => {
    const [jar, user, key] = [newJar(), await newUser(), `browser ${count}`];
    const tab = () => openTab(jar, key);
    const first = tab();
    await first.login(user);
    /** A tab that hears nothing of the others, so that it asks the server. */
    const deafTab = () => openTab(jar, `${key} apart ${opened.length}`);
    return { jar, user, key, tab, deafTab, first };
  };
  const post = (path: string, headers: Record<string, string>, body?: object) =>
    fetch(`${server.baseUrl}/api/auth/console/${path}`, {
      method: 'POST',
      headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
      body: body && JSON.stringify(body),
    });
  const cookieOf = ({ headerFor }: Jar) => headerFor('/api/auth/console/refresh');
  const loginsOf = async (tab: ClientLogin) => (await tab.client.listLogins()).logins.length;

  it('holds the refresh token in a cookie that scripts cannot read, and nowhere in the answer', async () => {
    const user = await newUser();
    const response = await post('login', own, user);
    const text = await response.text();
    assert.equal(response.status, 200, text);
    assert.ok(!text.includes('phr_') && text.includes('pha_'), text);
    const port = new URL(server.baseUrl).port;
    const [cookie = '', ...others] = response.headers.getSetCookie();
    assert.deepEqual(others, []);
    assert.match(
      cookie,
      new RegExp(
        `^pilothouse_refresh_${port}=phr_[\\w-]+; Path=/api/auth; Max-Age=1209600; HttpOnly; SameSite=Strict$`,
      ),
    );
  });

  it('marks the cookie Secure if the page or a trusted proxy says https, and otherwise not', async () => {
    const user = await newUser();
    const { host } = new URL(server.baseUrl);
    const isSecure = async (headers: Record<string, string>) =>
      / Secure$/.test((await post('login', { ...own, ...headers }, user)).headers.getSetCookie()[0] ?? '');
    assert.equal(await isSecure({ origin: `http://${host}` }), false);
    assert.equal(await isSecure({ origin: `https://${host}` }), true);
    assert.equal(await isSecure({ 'x-forwarded-proto': 'https' }), true);
    assert.equal(
      await isSecure({ 'x-forwarded-proto': 'https', 'x-forwarded-host': 'house.test', origin: 'https://house.test' }),
      true,
    );
    const { headers, status } = await post('login', { ...own, 'x-forwarded-host': 'house.test' }, user);
    assert.equal(status, 200);
    assert.match(headers.getSetCookie()[0] ?? '', /^pilothouse_refresh=phr_/);
  });

  describe('is refused, and the cookie still works after it,', () => {
    const { host, origin } = { host: 'house.test', origin: 'https://house.test' };
    const attacks: [name: string, headers: Record<string, string>, status: number][] = [
      ['without the header of the console', { origin: '' }, 400],
      ['with another value of it', { 'x-pilothouse-console': 'true' }, 400],
      ['from a page of another site', { ...own, origin: 'https://evil.test', 'sec-fetch-site': 'cross-site' }, 400],
      ['from a page of another site, in an old browser', { ...own, origin: 'https://evil.test' }, 400],
      ['from a sandboxed page', { ...own, origin: 'null' }, 400],
      ['from a subdomain', { ...own, origin: 'https://a.house.test', 'sec-fetch-site': 'same-site' }, 400],
      ['from another port', { ...own, origin: 'https://house.test:8443' }, 400],
      ['from a name that begins like ours', { ...own, origin: 'https://house.test.evil.test' }, 400],
      ['from the same site without an origin', { ...own, 'sec-fetch-site': 'same-site' }, 400],
      ['from plain HTTP, where the server is on HTTPS', { ...own, origin: 'http://house.test' }, 400],
    ];
    for (const [name, headers, status] of attacks)
      it(name, async () => {
        const proxied = { 'x-forwarded-host': host, 'x-forwarded-proto': 'https' };
        const user = await newUser();
        const begun = await post('login', { ...own, ...proxied, origin }, user);
        const cookie = begun.headers.getSetCookie()[0]?.split(';')[0] ?? '';
        const { origin: from, ...sent } = headers;
        const attack = { ...proxied, cookie, ...sent, ...(from && { origin: from }) };
        for (const path of ['refresh', 'logout']) assert.equal((await post(path, attack)).status, status, path);
        assert.equal((await post('login', attack, user)).status, status, 'login');
        const honest = await post('refresh', { ...own, ...proxied, origin, cookie });
        assert.equal(honest.status, 200, await honest.text());
      });
  });

  it('refuses two cookies of its name: one of them is of another site', async () => {
    const { jar } = await newBrowser();
    const cookie = cookieOf(jar);
    assert.equal((await post('refresh', { ...own, cookie: `${cookie}; ${cookie.split('=')[0]}=phr_x` })).status, 401);
    assert.equal((await post('refresh', { ...own, cookie: `other=1; ${cookie}; more=a=b` })).status, 200);
  });

  it('ends also where another site has set a cookie of its name', async () => {
    const { jar } = await newBrowser();
    const cookie = cookieOf(jar);
    const name = cookie.split('=')[0];
    const { status } = await post('logout', { ...own, cookie: `${name}=phr_x; ${cookie}` });
    assert.equal(status, 204);
    assert.equal((await post('refresh', { ...own, cookie })).status, 401);
  });

  it('is not accepted by any other route: a cookie alone opens nothing', async () => {
    const { jar, first } = await newBrowser();
    const cookie = cookieOf(jar);
    assert.equal(jar.headerFor('/api/sessions'), '');
    assert.equal(jar.headerFor('/api/authority'), '');
    for (const path of ['sessions', 'auth/me', 'auth/logins', 'inbox'])
      assert.equal((await fetch(`${server.baseUrl}/api/${path}`, { headers: { ...own, cookie } })).status, 401, path);
    for (const path of ['logout', 'logout-all']) {
      const { status } = await fetch(`${server.baseUrl}/api/auth/${path}`, {
        method: 'POST',
        headers: { ...own, cookie },
      });
      assert.equal(status, 401, path);
    }
    const refreshed = await fetch(`${server.baseUrl}/api/auth/refresh`, {
      method: 'POST',
      headers: { ...own, cookie },
    });
    assert.equal(refreshed.status, 400);
    assert.equal((await first.client.getMe()).sub, first.user()?.id);
  });

  it('ends when an old cookie is shown again after its time, with all its tokens', async () => {
    const { jar, first, deafTab } = await newBrowser();
    const [name = ''] = jar.names();
    const stolen = jar.soleCookie();
    assert.ok(stolen);
    const old = cookieOf(jar);
    await deafTab().restore();
    assert.notEqual(cookieOf(jar), old);
    // Within ten seconds, before the successor is used, it is taken for the same exchange: the answer is the same.
    const again = await post('refresh', { ...own, cookie: old });
    assert.equal(again.headers.getSetCookie()[0]?.split(';')[0], cookieOf(jar));
    await deafTab().restore();
    assert.equal((await post('refresh', { ...own, cookie: old })).status, 401);
    await assert.rejects(first.client.getMe(), { code: 'token_invalid' });
    assert.equal(first.isLoggedIn(), false);
    jar.put(name, stolen);
    assert.equal(await deafTab().restore(), undefined);
  });

  it('outlives a reload, asks once for any number of calls, and stores nothing else', async () => {
    const { first, tab } = await newBrowser();
    await first.close();
    const reloaded = tab();
    assert.equal(reloaded.isLoggedIn(), false);
    const replies = await Promise.all(Array.from({ length: 20 }, () => reloaded.client.getMe()));
    assert.equal(new Set(replies.map(({ iat, exp }) => `${iat} ${exp}`)).size, 1);
    assert.equal(reloaded.user()?.username, replies[0]?.username);
    assert.equal(await loginsOf(reloaded), 1);
  });

  it('takes the access token of another tab when it is opened, so that reloads among tabs do not meet the limit', async () => {
    const limited = await server.another({ limits: { refreshPerFamily: 2 } });
    const [jar, user] = [createCookieJar(limited.baseUrl), await newUser()];
    const tab = () => {
      const login = createLogin({
        baseUrl: limited.baseUrl,
        cookie: true,
        fetch: jar.fetch,
        storageKey: `limited ${count}`,
      });
      opened.push(login);
      return login;
    };
    const first = tab();
    await first.login(user);
    const cookie = cookieOf(jar);
    for (let load = 0; load < 20; load += 1) {
      const reloaded = tab();
      assert.equal((await reloaded.restore())?.username, user.username_or_email);
      assert.equal((await reloaded.client.getMe()).username, user.username_or_email);
      await reloaded.close();
    }
    assert.equal(cookieOf(jar), cookie, 'the server was not asked');
    // An answer that is heard late, or meant for another tab, replaces nothing.
    const second = tab();
    await second.restore();
    await first.logout();
    await until(() => !second.isLoggedIn(), 5000);
    assert.equal(await tab().restore(), undefined);
  });

  it('serves many tabs that are opened at once, over many rounds, and ends for none', async () => {
    const { tab, first } = await newBrowser();
    for (let round = 0; round < 5; round += 1) {
      const tabs = Array.from({ length: 12 }, tab);
      const users = await Promise.all(tabs.map((one) => one.restore()));
      assert.deepEqual(new Set(users.map((one) => one?.id)), new Set([first.user()?.id]));
      await Promise.all(tabs.map((one) => one.close()));
    }
    assert.equal(await loginsOf(first), 1);
  });

  it('survives tabs without a lock between them', async () => {
    const { jar, user } = await newBrowser();
    const tabs = Array.from({ length: 6 }, (_, index) => openTab(jar, `apart ${user.username_or_email} ${index}`));
    for (const one of await Promise.all(tabs.map((tab) => tab.restore()))) assert.ok(one);
    const later = openTab(jar, `apart ${user.username_or_email} later`);
    assert.equal((await later.restore())?.username, user.username_or_email);
  });

  it('tells the other tabs when a user logs in or out', async () => {
    const { tab, first, user, jar } = await newBrowser();
    const second = tab();
    await second.restore();
    const heard: (string | undefined)[] = [];
    second.onChange((one) => heard.push(one?.username));
    await first.logout();
    await until(() => heard.length === 1, 5000);
    assert.deepEqual(jar.names(), [], 'the cookie is gone');
    await assert.rejects(second.client.getMe(), { code: 'token_missing' });
    await first.login(user);
    await until(() => heard.length === 2, 5000);
    assert.deepEqual(heard, [undefined, user.username_or_email]);
    assert.equal((await second.client.getMe()).username, user.username_or_email);
  });

  it('ends on the server with a logout, also right after a reload and with a cookie that was exchanged', async () => {
    const { jar, deafTab, first, user } = await newBrowser();
    const { access_token } = await server.client.login(user);
    const [name = ''] = jar.names();
    const before = jar.soleCookie();
    assert.ok(before);
    await deafTab().restore();
    jar.put(name, before);
    await deafTab().logout();
    await assert.rejects(first.client.getMe(), { name: 'ApiError' });
    const headers = { authorization: `Bearer ${access_token}` };
    const { logins } = await server.client.listLogins({}, { headers });
    assert.equal(logins.length, 1, 'the other login goes on');
    const twice = await post('logout', own);
    assert.equal(twice.status, 204);
    assert.match(twice.headers.getSetCookie()[0] ?? '', /=; Path=\/api\/auth; Max-Age=0; HttpOnly/);
  });

  it('ends everywhere with logoutAll, and removes the cookie', async () => {
    const { jar, first, user } = await newBrowser();
    const { access_token } = await server.client.login(user);
    await first.client.logoutAll();
    assert.deepEqual(jar.names(), []);
    const headers = { authorization: `Bearer ${access_token}` };
    await assert.rejects(server.client.getMe({}, { headers }), { code: 'token_invalid' });
  });

  it('ends the login that it replaces', async () => {
    const { first, user } = await newBrowser();
    await first.login(user);
    assert.equal(await loginsOf(first), 1);
  });

  it('counts against the limits by address, but requests of other pages do not', async () => {
    const limited = await server.another({ limits: { refreshPerAddress: 2 } });
    const ask = (headers: Record<string, string>) =>
      fetch(`${limited.baseUrl}/api/auth/console/refresh`, {
        method: 'POST',
        headers: { ...own, 'x-forwarded-for': '192.0.2.7', ...headers },
      });
    for (let round = 0; round < 5; round += 1) assert.equal((await ask({ origin: 'https://evil.test' })).status, 400);
    assert.deepEqual([(await ask({})).status, (await ask({})).status, (await ask({})).status], [401, 401, 429]);
  });

  it('takes no cookie that is not a refresh token of ours', async () => {
    const { user } = await newBrowser();
    const { access_token } = await server.client.login(user);
    const name = `pilothouse_refresh_${new URL(server.baseUrl).port}`;
    for (const value of [access_token, 'x', '', '%00', 'phr_', `"${access_token}"`, 'a'.repeat(4000)]) {
      const { status } = await post('refresh', { ...own, cookie: `${name}=${value}` });
      assert.equal(status, 401, value);
      assert.equal((await post('logout', { ...own, cookie: `${name}=${value}` })).status, 204, value);
    }
    assert.equal(await rawStatus(server, `${name}=\u00ff`), 401);
  });

  it('writes no token and no cookie to the log', async () => {
    const { jar, tab, first } = await newBrowser();
    await tab().restore();
    const cookie = cookieOf(jar);
    await first.logout();
    const lines = server.logged.join('\n');
    assert.match(lines, /console\/refresh/);
    assert.ok(!lines.includes('phr_') && !lines.includes('pha_') && !lines.includes(cookie));
    assert.ok(!/set-cookie|pilothouse_refresh/i.test(lines));
  });
});

/** With bytes in the cookie that fetch does not send. */
const rawStatus = ({ baseUrl }: TestServer, cookie: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const sent = request(`${baseUrl}/api/auth/console/refresh`, { method: 'POST', headers: { ...own, cookie } });
    sent.on('response', (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.on('error', reject);
    sent.end();
  });
