import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Server } from '@modelcontextprotocol/server';
import { requestOfCall } from '../../../../testkit/mcp.ts';
import { startTestServer, type TestServer } from '../../testing/server.ts';
import { registerUser } from '../../testing/users.ts';
import { createPlainCalls } from './plain-call.ts';

type Sent = { headers: Record<string, string>; body: { params: { _meta: Record<string, unknown> } & object } & object };

/** As the server reads it. */
function sent(name: string, args: object = {}): Sent {
  const { headers, body } = requestOfCall('token', { name, arguments: args });
  return { headers: headers as Record<string, string>, body: JSON.parse(String(body)) };
}

describe('a call of a tool without the SDK', () => {
  it('is one whose envelope the SDK has taken, with a name and arguments', () => {
    const calls = createPlainCalls();
    assert.equal(calls.of(sent('list_sessions')), undefined);
    calls.taken(sent('get_task'));
    assert.equal(calls.of(sent('list_sessions', { limit: 3 }))?.params.name, 'list_sessions');
  });

  it('is none of which anything else is said, in its body or its headers', () => {
    const calls = createPlainCalls();
    const plain = sent('get_task', { task_id: 'x' });
    const { headers, body } = plain;
    const { params } = body;
    calls.taken(plain);
    assert.ok(calls.of(plain));
    const others: Sent[] = [
      ...['mcp-method', 'mcp-name', 'mcp-protocol-version'].flatMap((name) => [
        { ...plain, headers: { ...headers, [name]: 'other' } },
        { ...plain, headers: Object.fromEntries(Object.entries(headers).filter(([key]) => key !== name)) },
      ]),
      ...[{ id: 1.5 }, { id: null }, { jsonrpc: '1.0' }, { method: 'tools/list' }, { more: 1 }].map((change) => ({
        ...plain,
        body: { ...body, ...change },
      })),
      ...[{ arguments: [] }, { arguments: 'x' }, { requestState: 'x' }, { inputResponses: {} }, { task: {} }].map(
        (change) => ({ ...plain, body: { ...body, params: { ...params, ...change } } }),
      ),
      ...[{ progressToken: 1 }, { 'idempotency-key': 'x' }, { more: 1 }].map((change) => ({
        ...plain,
        body: { ...body, params: { ...params, _meta: { ...params._meta, ...change } } },
      })),
    ];
    for (const other of others) assert.equal(calls.of(other), undefined, JSON.stringify(other));
    for (const body of [undefined, null, 'x', [plain.body], {}]) assert.equal(calls.of({ headers, body }), undefined);
  });

  it('is still known after calls whose envelopes are all different', () => {
    const calls = createPlainCalls();
    const usual = sent('get_task');
    const withMeta = (change: object): Sent => ({
      ...usual,
      body: { ...usual.body, params: { ...usual.body.params, _meta: { ...usual.body.params._meta, ...change } } },
    });
    calls.taken(usual);
    for (let n = 0; n < 1000; n += 1) {
      calls.taken(withMeta({ 'idempotency-key': `key ${n}` }));
      calls.taken(withMeta({ 'io.modelcontextprotocol/clientInfo': { name: `client ${n}`, version: '1' } }));
      assert.ok(calls.of(usual), `after ${n}`);
    }
  });

  it('is none where what it brings is nested without end', () => {
    const calls = createPlainCalls();
    const { headers, body } = sent('get_task');
    const deep = JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`);
    const clientInfo = { 'io.modelcontextprotocol/clientInfo': deep };
    const other = {
      headers,
      body: { ...body, params: { ...body.params, _meta: { ...body.params._meta, ...clientInfo } } },
    };
    calls.taken(other);
    assert.equal(calls.of(other), undefined);
  });

  it('is never one that asks for progress, nor one of an earlier revision', () => {
    for (const change of [{ progressToken: 1 }, { 'io.modelcontextprotocol/protocolVersion': '2025-06-18' }]) {
      const calls = createPlainCalls();
      const { headers, body } = sent('get_task');
      const other = {
        headers,
        body: { ...body, params: { ...body.params, _meta: { ...body.params._meta, ...change } } },
      };
      calls.taken(other);
      assert.equal(calls.of(other), undefined);
    }
  });

  describe('over HTTP', () => {
    let server: TestServer;
    before(async () => {
      server = await startTestServer({ isAuthDisabled: false });
    });
    after(() => server?.close());

    it('is answered as the SDK answers it', async (test) => {
      // The SDK's server of a request is given its handlers first.
      const { mock } = test.mock.method(Server.prototype, 'setRequestHandler');
      const { client, token } = await registerUser(server);
      const { session } = await client.createSession();
      const { task_id } = await client.sendChat({
        prompt: 'x',
        steps: [{ action: 'screenshot' }],
        session_id: session.id,
      });
      const calls: [string, object][] = [
        ['list_sessions', { limit: 5 }],
        ['get_task', { task_id }],
        ['get_task', {}],
        ['get_task', { task_id: 'none' }],
        ['fly', {}],
      ];
      let id = 0;
      for (const [name, args] of calls) {
        const ask = async (version: string) => {
          const request = requestOfCall(token, { name, arguments: args });
          const body = JSON.parse(String(request.body));
          body.params._meta['io.modelcontextprotocol/clientInfo'] = { name: 'test', version };
          const response = await fetch(new URL('/mcp', server.baseUrl), { ...request, body: JSON.stringify(body) });
          // The number of the request is in words of refusals.
          const text = (await response.text()).replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27,}/g, (one) =>
            one === task_id || one === session.id ? one : 'ID',
          );
          return { status: response.status, type: response.headers.get('content-type'), answer: JSON.parse(text) };
        };
        // A new envelope is for the SDK, and is known the next time.
        const version = String(++id);
        const before = mock.callCount();
        const bySdk = await ask(version);
        const after = mock.callCount();
        assert.ok(after > before, `${name}: the first goes to the SDK`);
        assert.deepEqual(await ask(version), bySdk, name);
        assert.equal(mock.callCount(), after, `${name}: the second does not`);
      }
    });
  });
});
