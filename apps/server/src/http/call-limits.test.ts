import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { watchQueries } from '@pilothouse/store/testing/queries';
import { startTestServer, type TestServer } from '../../testing/server.ts';

describe('limits of calls', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer({ isAuthDisabled: false, callLimits: { write: 5, input: 4, look: 3 } });
  });
  after(() => server.close());

  async function newUser(server: TestServer) {
    const username = `u${Math.random().toString(36).slice(2)}`;
    const call = async (method: string, path: string, body?: object, at = server) =>
      fetch(`${at.baseUrl}${path}`, {
        method,
        headers: {
          ...(token && { authorization: `Bearer ${token}` }),
          ...(body && { 'content-type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
      });
    let token = '';
    const password = 'a long password of a test';
    const registered = await call('POST', '/api/auth/register', {
      username,
      email: `${username}@example.test`,
      password,
    });
    assert.equal(registered.status, 201);
    const login = await call('POST', '/api/auth/login', { username_or_email: username, password });
    token = ((await login.json()) as { access_token: string }).access_token;
    assert.ok(token);
    return call;
  }

  it('hold for the writes of one user over all servers, and not for reads or other users', async () => {
    const [mine, theirs, other] = [await newUser(server), await newUser(server), await server.another()];
    for (let i = 0; i < 5; i++)
      assert.equal((await mine('POST', '/api/sessions', {}, i % 2 ? other : server)).status, 201);
    for (const at of [server, other]) {
      const refused = await mine('POST', '/api/sessions', {}, at);
      assert.equal(refused.status, 429);
      const { code, detail } = (await refused.json()) as { code: string; detail: string };
      assert.equal(code, 'rate_limited');
      assert.match(detail, /5 times in a minute/);
      assert.ok(Number(refused.headers.get('retry-after')) > 0);
      assert.equal(refused.headers.get('ratelimit-policy'), '"write";q=5;w=60');
    }
    const { sessions } = (await (await mine('GET', '/api/sessions')).json()) as { sessions: unknown[] };
    assert.equal(sessions.length, 5);
    assert.equal((await theirs('POST', '/api/sessions', {})).status, 201);
  });

  it('hold for input and for looks, each by itself', async () => {
    const call = await newUser(server);
    const { session } = (await (await call('POST', '/api/sessions', {})).json()) as { session: { id: string } };
    const path = `/api/sessions/${session.id}`;
    const route = { session: session.id, page: 'p1', frame: null, url: 'http://shop.test/', title: 'Shop' };
    const inputs = [];
    for (let i = 0; i < 6; i++) inputs.push((await call('POST', `${path}/pointer`, { route })).status === 429);
    assert.deepEqual(inputs, [false, false, false, false, true, true]);
    const looks = [];
    for (let i = 0; i < 5; i++) looks.push((await call('GET', path)).status);
    assert.deepEqual(looks, [200, 200, 200, 429, 429]);
    assert.equal((await call('POST', '/api/sessions', {})).status, 201, 'writes are counted apart');
  });

  it('hold for the lists of administrators, each page of which is in the audit', async () => {
    for (const list of ['users', 'tasks', 'audit']) {
      const call = await newUser(server);
      const answers = [];
      for (let i = 0; i < 5; i++) answers.push((await call('GET', `/api/admin/${list}`)).status);
      // Who is no administrator is counted and refused alike.
      assert.deepEqual(answers, [403, 403, 403, 429, 429], list);
    }
  });

  it('refuse further calls from memory, answer them later and later, and log their number', async () => {
    const own = await startTestServer({ isAuthDisabled: false, callLimits: { write: 5 } });
    const call = await newUser(own);
    for (let i = 0; i < 5; i++) assert.equal((await call('POST', '/api/sessions', {})).status, 201);
    const linesBefore = own.logged.length;
    const watch = watchQueries();
    const timed = async () => {
      const begun = performance.now();
      const refused = await call('POST', '/api/sessions', { recording: 'not valid' });
      assert.equal(refused.status, 429);
      assert.match(refused.headers.get('ratelimit') ?? '', /^"write";r=0;t=\d+$/);
      const after = Number(refused.headers.get('retry-after'));
      assert.ok(after > 0 && after <= 60, `${after}`);
      return performance.now() - begun;
    };
    await timed();
    const asked = askedBy(watch.sent);
    assert.ok(asked.length > 0, 'the first refusal looks the caller up');
    const took: number[] = [];
    for (let i = 0; i < 60; i++) took.push(await timed());
    watch.close();
    assert.deepEqual(askedBy(watch.sent).slice(asked.length), []);
    // It is held back for at least this long; a busy machine takes longer.
    assert.ok((took.at(-1) ?? 0) > 300, `${took.at(-1)} ms`);
    assert.equal((await call('GET', '/api/sessions')).status, 200, 'reads are not refused');
    const lines = own.logged.slice(linesBefore).filter((line) => line.includes('"status":429'));
    assert.equal(lines.length, 1);
    await own.close();
    const told = own.logged.map((line) => JSON.parse(line)).filter(({ refused }) => refused !== undefined);
    assert.deepEqual(
      told.map(({ msg, limit, refused }) => ({ msg, limit, refused })),
      [{ msg: 'more calls over a limit were refused', limit: 'write', refused: 60 }],
    );
    assert.match(told[0].user_id, /^[0-9a-f-]{36}$/);
  });
});

/** Without what the server asks by itself. */
const askedBy = (sent: { text: string }[]) => sent.filter(({ text }) => /access_tokens|rate_limits/.test(text));
