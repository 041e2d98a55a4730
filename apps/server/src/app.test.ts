import assert from 'node:assert/strict';
import { request as httpRequest } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { type ErrorCode, errors, Problem, type Route, routes } from '@pilothouse/contract';
import { ApiError, createClient, isApiError } from '@pilothouse/sdk';
import { sendRaw } from '../testing/raw-http.ts';
import { startTestServer, type TestServer } from '../testing/server.ts';

describe('the server', () => {
  let open: TestServer;
  let guarded: TestServer;
  before(async () => {
    [open, guarded] = await Promise.all([
      startTestServer({ isAuthDisabled: true }),
      startTestServer({ isAuthDisabled: false }),
    ]);
  });
  after(() => Promise.all([open.close(), guarded.close()]));

  it('says that it is alive, and that authentication is disabled', async () => {
    assert.deepEqual(await guarded.client.getHealth(), {
      success: true,
      status: 'ok',
      version: 'test',
      auth: 'required',
      notices: [],
    });
    const { auth, notices } = await open.client.getHealth();
    assert.equal(auth, 'disabled');
    assert.match(notices.join(), /Authentication is disabled/);
  });

  it('makes and lists sessions as the contract says', async () => {
    const { session } = await open.client.createSession({ title: 'First', viewport: { width: 800, height: 600 } });
    assert.equal(session.status, 'idle');
    assert.equal(session.live_path, `/api/sessions/${session.id}/live`);
    const second = await open.client.createSession();
    // A list has more of each: nothing was done in these yet.
    const inList = { last_task: null, needs_person: null, thumbnail: null };
    const { sessions, next_cursor } = await open.client.listSessions({ limit: 1 });
    assert.deepEqual(sessions, [{ ...second.session, ...inList }]);
    const page = await open.client.listSessions({ limit: 1, cursor: next_cursor ?? '' });
    assert.deepEqual(page.sessions, [{ ...session, ...inList }]);
    assert.deepEqual((await open.client.listSessions({ status: 'closed' })).sessions, []);
  });

  // One row for each refusal: the request, and the expected code.
  type Refusal = {
    name: string;
    on?: 'guarded';
    call: [method: string, path: string];
    headers?: Record<string, string>;
    body?: string;
    code: ErrorCode;
  };
  const json = { 'content-type': 'application/json' };
  const refusals: Refusal[] = [
    { name: 'a path that is not there', call: ['GET', '/api/nothing'], code: 'not_found' },
    {
      name: 'a path that is not there, whatever is sent to it',
      call: ['POST', '/api/nothing'],
      headers: json,
      body: '{',
      code: 'not_found',
    },
    { name: 'a method that is not there', call: ['PUT', '/api/sessions'], code: 'not_found' },
    {
      name: 'a chat without a prompt',
      call: ['POST', '/api/chat'],
      headers: json,
      body: '{}',
      code: 'validation_failed',
    },
    {
      name: 'a prompt without a planner for it',
      call: ['POST', '/api/chat'],
      headers: json,
      body: '{"prompt":"buy a lantern"}',
      code: 'validation_failed',
    },
    {
      name: 'a chat in a session that is not there',
      call: ['POST', '/api/chat'],
      headers: json,
      body: '{"prompt":"x","session_id":"nobody","steps":[{"action":"screenshot"}]}',
      code: 'not_found',
    },
    {
      name: 'a session that is not there',
      call: ['GET', '/api/sessions/01a1dd00-0000-7000-8000-000000000001'],
      code: 'not_found',
    },
    { name: 'an id that is none', call: ['GET', '/api/sessions/abc'], code: 'not_found' },
    { name: 'the stream of a task that is not there', call: ['GET', '/api/tasks/abc/events'], code: 'not_found' },
    { name: 'a path that cannot be decoded', call: ['GET', '/api/sessions/%zz'], code: 'validation_failed' },
    { name: 'a query beyond its bounds', call: ['GET', '/api/sessions?limit=201'], code: 'validation_failed' },
    { name: 'a cursor that is not ours', call: ['GET', '/api/sessions?cursor=abc'], code: 'validation_failed' },
    {
      name: 'a body of the wrong type',
      call: ['POST', '/api/sessions'],
      headers: json,
      body: '{"title":7}',
      code: 'validation_failed',
    },
    {
      name: 'broken JSON',
      call: ['POST', '/api/sessions'],
      headers: json,
      body: '{"title":',
      code: 'validation_failed',
    },
    {
      name: 'a name that would poison prototypes',
      call: ['POST', '/api/sessions'],
      headers: json,
      body: '{"__proto__":{}}',
      code: 'validation_failed',
    },
    {
      name: 'text the database cannot hold',
      call: ['POST', '/api/sessions'],
      headers: json,
      body: '{"title":"\\u0000"}',
      code: 'validation_failed',
    },
    {
      name: 'a body that is not JSON',
      call: ['POST', '/api/sessions'],
      headers: { 'content-type': 'text/plain' },
      body: 'x',
      code: 'unsupported_media_type',
    },
    {
      name: 'a body beyond the limit',
      call: ['POST', '/api/sessions'],
      headers: json,
      body: `"${'x'.repeat(65_536)}"`,
      code: 'payload_too_large',
    },
    {
      name: 'a profile that is not there',
      call: ['POST', '/api/sessions'],
      headers: json,
      body: '{"profile_id":"abc"}',
      code: 'not_found',
    },
    {
      name: 'a page of another origin while authentication is disabled',
      call: ['GET', '/api/sessions'],
      headers: { origin: 'http://evil.test' },
      code: 'validation_failed',
    },
    { name: 'no token where one is needed', on: 'guarded', call: ['GET', '/api/sessions'], code: 'token_missing' },
    {
      name: 'another scheme than a bearer token',
      on: 'guarded',
      call: ['GET', '/api/sessions'],
      headers: { authorization: 'Basic eDp5' },
      code: 'token_missing',
    },
    {
      name: 'a token that was never issued',
      on: 'guarded',
      call: ['GET', '/api/sessions'],
      headers: { authorization: 'Bearer pha_x' },
      code: 'token_invalid',
    },
    {
      name: 'a bad body without a token: who calls comes first',
      on: 'guarded',
      call: ['POST', '/api/sessions'],
      headers: json,
      body: '{',
      code: 'token_missing',
    },
  ];
  for (const {
    name,
    on,
    call: [method, path],
    headers,
    body,
    code,
  } of refusals) {
    it(`refuses ${name}`, async () => {
      const { baseUrl } = on === 'guarded' ? guarded : open;
      const response = await fetch(baseUrl + path, { method, headers, body });
      assert.equal(response.status, errors[code].status);
      assert.match(response.headers.get('content-type') ?? '', /^application\/problem\+json/);
      const problem = Problem.parse(await response.json());
      assert.equal(problem.code, code);
      assert.equal(problem.request_id, response.headers.get('x-request-id'));
      if (response.status === 401) {
        const expected = code === 'token_missing' ? 'Bearer' : 'Bearer error="invalid_token"';
        assert.equal(response.headers.get('www-authenticate'), expected);
      }
    });
  }

  it('names the wrong field, and nothing else', async () => {
    const refused = await open.client
      .createSession({ viewport: { width: -1, height: 10 } })
      .catch((error: unknown) => error);
    assert.ok(isApiError(refused, 'validation_failed'));
    assert.ok(
      refused.errors.some(({ pointer }) => pointer === '/body/viewport/width'),
      JSON.stringify(refused.errors),
    );
    assert.ok(!JSON.stringify(refused).includes('zod'));
  });

  // With authentication disabled, only the Host and Origin protect the browsers from a hostile page.
  const addressed: [name: string, headers: Record<string, string>, isTaken: boolean][] = [
    ['this machine by its address', {}, true],
    ['this machine by its name', { host: 'localhost:1' }, true],
    ['this machine by its other address', { host: '[::1]:1' }, true],
    ['a name that was made to lead here', { host: 'evil.test' }, false],
    ['a name that only begins like ours', { host: '127.0.0.1.evil.test' }, false],
    ['us, by a page of another origin', { origin: 'http://evil.test' }, false],
    ['us, by a page that hides its origin', { origin: 'null' }, false],
    ['us, by a page of another port', { origin: 'http://127.0.0.1:1' }, false],
  ];
  for (const [name, headers, isTaken] of addressed) {
    it(`${isTaken ? 'accepts' : 'refuses'} a request for ${name}`, async () => {
      assert.equal(await statusOf(`${open.baseUrl}/api/sessions`, headers), isTaken ? 200 : 400);
    });
  }
  it('refuses a request without a Host', async () => {
    const bytes = Buffer.from('GET /api/sessions HTTP/1.1\r\nConnection: close\r\n\r\n');
    const [answer] = await sendRaw(Number(new URL(open.baseUrl).port), bytes, { halfClose: false });
    assert.equal(answer?.status, 400);
  });
  it('accepts a request of its own page', async () => {
    assert.equal(await statusOf(`${open.baseUrl}/api/sessions`, { origin: open.baseUrl }), 200);
  });

  it('accepts a command without a body, with and without a content type', async () => {
    for (const headers of [{}, json]) {
      const response = await fetch(`${open.baseUrl}/api/sessions`, { method: 'POST', headers });
      assert.equal(response.status, 201);
    }
  });

  it('logs one line for each request, without the query', async () => {
    const before = open.logged.length;
    await fetch(`${open.baseUrl}/api/sessions?cursor=secret-in-a-query`);
    const lines = open.logged.slice(before).map((line) => JSON.parse(line));
    assert.equal(lines.filter(({ msg }) => msg === 'request').length, 1);
    const [line] = lines;
    assert.equal(line.path, '/api/sessions');
    assert.equal(line.status, 400);
    assert.match(line.request_id, /^[0-9a-f-]{36}$/);
    assert.ok(!open.logged.some((text) => text.includes('secret-in-a-query')));
    await fetch(`${open.baseUrl}/api/%zz`);
    assert.equal(JSON.parse(open.logged.at(-1) ?? '').path, '/api/%zz', 'also for what is refused before routing');
  });

  it('describes exactly the served routes in OpenAPI, without dangling references', async () => {
    const document = await open.client.getOpenApi();
    const text = JSON.stringify(document);
    assert.equal(document.openapi, '3.1.0');
    const described = Object.entries(document.paths as Record<string, object>).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`),
    );
    assert.deepEqual(described.sort(), (await servedRoutes(open)).sort());
    const { schemas } = document.components as { schemas: Record<string, unknown> };
    const referred = new Set([...text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => name));
    assert.deepEqual([...referred].sort(), Object.keys(schemas).sort(), 'every schema is used and every use has one');
  });

  it('serves every route of the contract except these', async () => {
    const served = new Set(await servedRoutes(open));
    const missing = Object.values<Route>(routes)
      .filter(({ origin }) => origin === 'interface')
      .map(({ method, path }) => `${method} ${path}`)
      .filter((route) => !served.has(route));
    assert.deepEqual(missing.sort(), missingOfTheInterface);
  });

  it('throws typed errors through the SDK, also if the server is away', async () => {
    const away = createClient({ baseUrl: 'http://127.0.0.1:9' });
    await assert.rejects(away.getHealth(), { name: 'ConnectionError' });
    const refused = await guarded.client.listSessions().catch((error: unknown) => error);
    assert.ok(refused instanceof ApiError);
    assert.equal(refused.code, 'token_missing');
    assert.equal(refused.status, 401);
  });
});

/** With headers that fetch does not allow. */
const statusOf = (url: string, headers: Record<string, string>) =>
  new Promise((resolve, reject) => {
    httpRequest(url, { headers }, (answer) => resolve(answer.resume().statusCode))
      .on('error', reject)
      .end();
  });

/** Routes of the contract that are not served: none. */
const missingOfTheInterface: string[] = [];

/** Asks the running server: a route that is not served answers like an unknown path. */
async function servedRoutes({ baseUrl }: TestServer): Promise<string[]> {
  const answers = await Promise.all(
    Object.values<Route>(routes).map(async ({ method, path }) => {
      // An id that names nothing is also "not found", but a served route says so after reading the origin.
      const response = await fetch(baseUrl + path.replace(/:\w+/g, 'x'), {
        method,
        headers: { origin: 'http://elsewhere.test' },
      });
      const isServed = response.status !== 404;
      await response.body?.cancel();
      return isServed ? `${method} ${path}` : [];
    }),
  );
  return answers.flat();
}
