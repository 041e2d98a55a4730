import assert from 'node:assert/strict';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { type Route, routes } from '@pilothouse/contract';
import { wireRoutes } from '@pilothouse/contract/wire';
import { type Client, createClient } from '../index.ts';
import { layOut } from './request.ts';

describe('the client', () => {
  let client: Client;
  let seen: { request: IncomingMessage; body: string } | undefined;
  let answer: { status: number; type: string; body: string } = { status: 200, type: 'application/json', body: '{}' };
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    seen = { request, body };
    if (answer.status === 0) return;
    response.writeHead(answer.status, { 'content-type': answer.type, 'retry-after': '7' }).end(answer.body);
  });
  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    client = createClient({ baseUrl: `http://127.0.0.1:${port}`, token: () => 'pha_test', timeoutMs: 2000 });
  });
  after(() => {
    server.close();
    server.closeAllConnections();
  });

  it('has a method for every route of the contract', () => {
    assert.deepEqual(Object.keys(client).sort(), Object.keys(routes).sort());
    for (const method of Object.values(client)) assert.equal(typeof method, 'function');
  });

  it('never has one field in two places of a request', () => {
    for (const [name, route] of Object.entries<Route>(routes)) {
      const inPath = Object.keys(route.params?.shape ?? {});
      const inQuery = Object.keys(route.query?.shape ?? {});
      assert.deepEqual(
        inPath.filter((key) => inQuery.includes(key)),
        [],
        name,
      );
    }
  });

  it('lays fields out over path, query and body, and escapes them', () => {
    assert.deepEqual(layOut(wireRoutes.cancelTask, { id: 'a/b?c', reason: 'x' }), {
      path: '/api/tasks/a%2Fb%3Fc/cancel',
      body: '{"reason":"x"}',
    });
    assert.deepEqual(layOut(wireRoutes.listSessions, { limit: 5, cursor: undefined, status: 'idle' }), {
      path: '/api/sessions?limit=5&status=idle',
      body: undefined,
    });
  });

  it('watches by a share without a login, and shows it to nothing else', async () => {
    answer = { status: 200, type: 'application/json', body: '{"success":true}' };
    const { port } = server.address() as AddressInfo;
    const guest = createClient({
      baseUrl: `http://127.0.0.1:${port}`,
      token: () => 'pha_test',
      shareToken: 'phs_test',
    });
    await guest.getSession({ id: 'a' });
    assert.equal(seen?.request.headers['x-share-token'], 'phs_test');
    assert.equal(seen.request.headers.authorization, undefined);
    await guest.listSessions();
    assert.equal(seen.request.headers['x-share-token'], undefined);
    assert.equal(seen.request.headers.authorization, 'Bearer pha_test');
  });

  it('sends the token, the key against repeats, and the body as JSON', async () => {
    answer = { status: 202, type: 'application/json', body: '{"success":true}' };
    await client.sendChat({ prompt: 'open the shop' }, { idempotencyKey: 'k1' });
    assert.equal(seen?.request.url, '/api/chat');
    assert.equal(seen?.request.headers.authorization, 'Bearer pha_test');
    assert.equal(seen?.request.headers['idempotency-key'], 'k1');
    assert.deepEqual(JSON.parse(seen?.body ?? ''), { prompt: 'open the shop' });
  });

  it('shows the token only to routes that need one', async () => {
    answer = { status: 200, type: 'application/json', body: '{}' };
    await client.getHealth();
    assert.equal(seen?.request.headers.authorization, undefined);
  });

  it('returns the answer that a picture has not changed, and takes it for nothing else', async () => {
    answer = { status: 304, type: 'image/png', body: '' };
    const headers = { 'if-none-match': '"a"' };
    const response = await client.getObservationImage({ id: 'a', observation_id: 'b' }, { headers });
    assert.equal(response.status, 304);
    assert.equal(seen?.request.headers['if-none-match'], '"a"');
    await assert.rejects(client.listSessions({}, { headers }), { name: 'ConnectionError', message: /304/ });
  });

  it('throws an error with the code of the refusal', async () => {
    const problem = {
      type: 'about:blank',
      title: 't',
      status: 429,
      detail: 'Slow down.',
      success: false,
      code: 'rate_limited',
      request_id: 'r1',
    };
    answer = { status: 429, type: 'application/problem+json', body: JSON.stringify(problem) };
    await assert.rejects(client.listSessions(), {
      name: 'ApiError',
      code: 'rate_limited',
      status: 429,
      requestId: 'r1',
      retryAfterSecs: 7,
    });
  });

  it('does not take a proxy for the server', async () => {
    answer = { status: 502, type: 'text/html', body: '<h1>Bad gateway</h1>' };
    await assert.rejects(client.listSessions(), { name: 'ConnectionError', message: /502/ });
    answer = { status: 200, type: 'text/html', body: '<h1>Welcome to our hotel</h1>' };
    await assert.rejects(client.listSessions(), { name: 'ConnectionError', message: /cannot be read/ });
  });

  it('gives up at its deadline, and at once when told to', async () => {
    answer = { status: 0, type: '', body: '' };
    await assert.rejects(client.getHealth({}, { timeoutMs: 100 }), { name: 'ConnectionError', message: /in time/ });
    const abort = new AbortController();
    const call = client.getHealth({}, { signal: abort.signal });
    abort.abort(new Error('enough'));
    await assert.rejects(call, /enough/);
  });
});
