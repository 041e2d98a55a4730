import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { parseScript } from '@pilothouse/contract';
import { connectMcp } from '../../../../testkit/mcp.ts';
import { until } from '../../../../testkit/until.ts';
import { startTestServer, type TestServer } from '../../testing/server.ts';
import { registerUser } from '../../testing/users.ts';
import { toolList } from './tools.ts';

const script = { steps: ['open https://shop.test/', 'screenshot'], wait_secs: 0 };

describe('the MCP interface', () => {
  let one: TestServer;
  let other: TestServer;
  let owner: Awaited<ReturnType<typeof registerUser>>;
  let stranger: Awaited<ReturnType<typeof registerUser>>;
  before(async () => {
    const planners = { parseScript };
    one = await startTestServer({
      isAuthDisabled: false,
      planners,
      streams: { perUser: 1 },
      callLimits: { write: 30 },
    });
    other = await one.another();
    [owner, stranger] = [await registerUser(one), await registerUser(one)];
  });
  after(() => one?.close());

  const post = (headers: Record<string, string>, body: string | object, path = '/mcp') =>
    fetch(new URL(path, one.baseUrl), {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
  const newKey = async () => (await owner.client.createKey({ label: 'an agent' })).key;

  it('has at most 12 tools and 8 KB of them, each with annotations', async () => {
    const { client, close } = await connectMcp(one.baseUrl, owner.token);
    const { tools } = await client.listTools();
    await close();
    assert.deepEqual(
      tools.map(({ name }) => name),
      toolList.map(({ name }) => name),
    );
    assert.ok(tools.length <= 12, `${tools.length} tools`);
    const bytes = Buffer.byteLength(JSON.stringify(tools));
    assert.ok(bytes <= 8 * 1024, `${bytes} bytes`);
    for (const { name, annotations } of tools)
      assert.ok(annotations?.readOnlyHint === true || annotations?.destructiveHint !== undefined, name);
  });

  it('asks for a token, and says so as HTTP does', async () => {
    const without = await post({}, ping);
    assert.equal(without.status, 401);
    assert.equal(without.headers.get('www-authenticate'), 'Bearer');
    const wrong = await post({ authorization: 'Bearer pha_unknown' }, ping);
    assert.equal(wrong.status, 401);
    assert.equal(wrong.headers.get('www-authenticate'), 'Bearer error="invalid_token"');
    for (const method of ['GET', 'DELETE'])
      assert.equal((await fetch(new URL('/mcp', one.baseUrl), { method })).status, 401, method);
  });

  it('takes an access token and an API key, and a key no longer once it is removed', async () => {
    const { id, key_token: key } = await newKey();
    const { call, close } = await connectMcp(one.baseUrl, key);
    assert.equal((await call('list_sessions')).isError, false);
    await owner.client.deleteKey({ id });
    await assert.rejects(call('list_sessions'), /401|nauthorized/);
    await assert.rejects(connectMcp(other.baseUrl, key));
    await close();
  });

  it('refuses pages of other origins, however they spell the path', async () => {
    const foreign = { ...owner.headers, origin: 'https://evil.test' };
    assert.equal((await post(foreign, ping)).status, 403);
    assert.equal((await post(foreign, ping, '/%6dcp')).status, 403);
    assert.equal((await post({ ...owner.headers, origin: 'null' }, ping)).status, 403);
    assert.equal((await post({ ...owner.headers, 'sec-fetch-site': 'cross-site' }, ping)).status, 403);
    assert.equal((await post({ ...owner.headers, origin: one.baseUrl }, ping)).status, 200);
  });

  it('refuses what is no single message of the protocol', async () => {
    assert.equal((await post(owner.headers, [ping, ping])).status, 400);
    assert.equal((await post(owner.headers, '{')).status, 400);
    assert.equal((await post({ ...owner.headers, 'content-type': 'text/plain' }, ping)).status, 415);
    assert.equal((await post(owner.headers, { ...ping, params: { x: 'x'.repeat(300_000) } })).status, 413);
    for (const method of ['GET', 'DELETE']) {
      const response = await fetch(new URL('/mcp', one.baseUrl), { method, headers: owner.headers });
      assert.equal(response.status, 405, method);
      assert.equal(response.headers.get('allow'), 'POST');
    }
  });

  it('begins one task for one key, at whichever server the call is repeated', async () => {
    const [here, there] = [await connectMcp(one.baseUrl, owner.token), await connectMcp(other.baseUrl, owner.token)];
    const meta = { 'idempotency-key': 'from-meta' };
    const began = await here.call('run_task', { ...script, idempotency_key: 'a-key' });
    assert.equal(began.facts.outcome, 'waiting_for_its_turn');
    const again = await there.call('run_task', { ...script, idempotency_key: 'a-key' });
    assert.equal(again.facts.task_id, began.facts.task_id);
    const [first, second] = [
      await here.call('run_task', script, { meta }),
      await there.call('run_task', script, { meta }),
    ];
    assert.equal(second.facts.task_id, first.facts.task_id);
    const differs = await there.call('run_task', { ...script, steps: ['screenshot'], idempotency_key: 'a-key' });
    assert.equal(differs.facts.refused, 'conflict');
    assert.equal((await owner.client.listTasks()).tasks.length, 2);
    await Promise.all([here.close(), there.close()]);
  });

  it('shows nobody else’s sessions and tasks', async () => {
    const { session } = await owner.client.createSession();
    const task = await owner.client.sendChat({ prompt: 'x', steps: [{ action: 'screenshot' }] });
    const { call, close } = await connectMcp(one.baseUrl, stranger.token);
    const calls: [string, object][] = [
      ['get_task', { task_id: task.task_id }],
      ['answer_task', { task_id: task.task_id, answer: 'yes', asked_at: new Date().toISOString() }],
      ['cancel_task', { task_id: task.task_id }],
      ['observe', { session_id: session.id }],
      ['screenshot', { session_id: session.id }],
      ['act', { session_id: session.id, step: 'back' }],
      ['read', { session_id: session.id }],
      ['close_session', { session_id: session.id }],
      ['run_task', { ...script, session_id: session.id }],
      ['ask_person', { question: 'x', session_id: session.id }],
    ];
    for (const [name, args] of calls) {
      const reply = await call(name, args);
      assert.deepEqual([name, reply.isError, reply.facts.refused], [name, true, 'not_found']);
    }
    assert.deepEqual((await call('list_sessions')).facts.sessions, []);
    assert.equal((await owner.client.getTaskStatus({ id: task.task_id })).status.status, 'pending');
    await close();
  });

  it('refuses in words: unknown tools, wrong arguments, scripts with a mistake, the mode without approvals', async () => {
    const { call, close } = await connectMcp(one.baseUrl, owner.token);
    const refusals: [string, object, RegExp][] = [
      ['fly', {}, /There is no tool fly/],
      ['get_task', {}, /task_id: /],
      ['run_task', { wait_secs: 0 }, /either a prompt or steps/],
      ['run_task', { steps: ['clik "Buy"'], wait_secs: 0 }, /line 1, column 1/],
      ['run_task', { ...script, policy: { mode: 'free' } }, /policy\/mode/],
      ['act', { session_id: 'x', step: 'back\nback' }, /one line/],
      ['observe', { session_id: (await owner.client.createSession()).session.id }, /is not open/],
    ];
    for (const [name, args, words] of refusals) {
      const { isError, text } = await call(name, args);
      assert.ok(isError, name);
      assert.match(text, words);
    }
    await close();
  });

  it('ends a wait with its client and with its key, and counts it among the streams', async () => {
    const { id, key_token: key } = await newKey();
    const { call, close } = await connectMcp(one.baseUrl, key);
    const { facts } = await call('run_task', script);
    const waiting = { task_id: facts.task_id, wait_secs: 50 };
    const isFull = async () => (await call('get_task', { ...waiting, wait_secs: 1 })).facts.refused === 'rate_limited';
    /** A call that waits: one that came while we looked is refused, and begins again. */
    const begin = async (signal?: AbortSignal) => {
      for (;;) {
        let isOver = false;
        const reply = call('get_task', waiting, { signal }).finally(() => {
          isOver = true;
        });
        reply.catch(() => {});
        while (!isOver) if (await isFull()) return { reply };
      }
    };
    const leaving = new AbortController();
    const left = await begin(leaving.signal);
    leaving.abort();
    await assert.rejects(left.reply);
    await until(async () => !(await isFull()), 10_000);
    const revoked = await begin();
    await owner.client.deleteKey({ id });
    assert.equal((await revoked.reply).facts.refused, 'token_invalid');
    await close();
  });

  it('counts calls for the limits of the user, and says when to come again', async () => {
    const busy = await registerUser(one);
    const { call, close } = await connectMcp(one.baseUrl, busy.token);
    let reply = await call('open_session');
    for (let i = 0; i < 30 && !reply.isError; i += 1) reply = await call('open_session');
    assert.equal(reply.facts.refused, 'rate_limited');
    assert.ok(reply.facts.retry_after_secs > 0);
    await assert.rejects(busy.client.createSession(), { code: 'rate_limited' });
    await close();
  });
});
