import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { parseScript } from '@pilothouse/contract';
import { newId, openStore } from '@pilothouse/store';
import { watchQueries } from '@pilothouse/store/testing/queries';
import { Registry } from 'prom-client';
import { until } from '../../../../testkit/until.ts';
import { startTestServer, type TestServer } from '../../testing/server.ts';
import { exposeInstallation } from './installation.ts';

describe('the metrics of a server', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer({ isAuthDisabled: true, streams: { perUser: 1 }, planners: { parseScript } });
  });
  after(() => server?.close());

  const valueIn = (text: string, name: string, labels = '') => {
    const line = text.split('\n').find((one) => one.startsWith(`${name}${labels && `{${labels}}`} `));
    return line === undefined ? undefined : Number(line.split(' ').at(-1));
  };
  const read = async (name: string, labels?: string) => valueIn(await server.metrics.metrics(), name, labels);
  const script = 'open http://127.0.0.1:1/';

  it('tell of the whole installation: tasks, waits, slots, agents and bytes', async () => {
    const metrics = new Registry();
    exposeInstallation({ store: server.store, metrics, blobDir: server.blobDir, patienceMs: 20_000 });
    const { session_id, task_id } = await server.client.sendChat({ prompt: script });
    await server.client.sendChat({ prompt: script, session_id });
    await server.store.hosts.renew({ hostId: 'h1', bootId: randomUUID(), capacity: 4, sessions: [], leaseMs: 60_000 });
    const agent = await server.store.agents.enter(randomUUID());
    const text = await metrics.metrics();
    await agent.leave();
    assert.equal(valueIn(text, 'pilothouse_tasks', 'status="pending"'), 2);
    assert.equal(valueIn(text, 'pilothouse_tasks', 'status="running"'), 0);
    assert.equal(valueIn(text, 'pilothouse_tasks_waiting', 'cause="agent"'), 1);
    assert.equal(valueIn(text, 'pilothouse_tasks_waiting', 'cause="session"'), 1);
    assert.equal(valueIn(text, 'pilothouse_tasks_waiting', 'cause="browser"'), 0);
    assert.ok((valueIn(text, 'pilothouse_tasks_waiting_oldest_seconds', 'cause="agent"') ?? 0) > 0);
    assert.equal(valueIn(text, 'pilothouse_browser_slots', 'state="free"'), 4);
    assert.equal(valueIn(text, 'pilothouse_browser_slots', 'state="taken"'), 0);
    assert.equal(valueIn(text, 'pilothouse_hosts', 'state="live"'), 1);
    assert.equal(valueIn(text, 'pilothouse_agents', 'state="live"'), 1);
    assert.equal(valueIn(text, 'pilothouse_stored_bytes', 'kind="pictures"'), 0);
    assert.ok((valueIn(text, 'pilothouse_stored_bytes', 'kind="database"') ?? 0) > 1e6);
    assert.ok((valueIn(text, 'pilothouse_blob_disk_bytes', 'kind="free"') ?? 0) > 0);
    assert.equal(valueIn(text, 'pilothouse_figures_known', 'of="fleet"'), 1);
    for (const id of [session_id, task_id]) assert.ok(!text.includes(id), 'no id of anything is a label');
  });

  it('ask the database three times, however many read them', async () => {
    const metrics = new Registry();
    exposeInstallation({ store: server.store, metrics, blobDir: server.blobDir, everyMs: 60_000 });
    const watch = watchQueries();
    await Promise.all(Array.from({ length: 20 }, () => metrics.metrics())).finally(watch.close);
    // The server itself asks other things meanwhile.
    const asked = watch.sent.filter(({ text }) => /oldestSecs|missingAgents|databaseBytes/.test(text));
    assert.equal(asked.length, 3);
  });

  it('say that they know nothing while the database is away', async () => {
    const store = openStore({ url: 'postgres://127.0.0.1:1/none', blobDir: server.blobDir, onError: () => {} });
    const metrics = new Registry();
    exposeInstallation({ store, metrics, blobDir: '/nonexistent' });
    const text = await metrics.metrics();
    await store.close();
    for (const kind of ['tasks', 'fleet', 'stored', 'disk'])
      assert.equal(valueIn(text, 'pilothouse_figures_known', `of="${kind}"`), 0);
    assert.doesNotMatch(text, /^pilothouse_tasks\{/m);
  });

  it('are not on the port of callers', async () => {
    const answer = await fetch(`${server.baseUrl}/metrics`);
    assert.equal(answer.status, 404);
    assert.doesNotMatch(await answer.text(), /pilothouse_/);
  });

  it('count refusals by their code, and none by what a caller sent', async () => {
    const before = (await read('pilothouse_refusals_total', 'code="not_found"')) ?? Number.NaN;
    await fetch(`${server.baseUrl}/api/sessions/${newId()}`);
    await fetch(`${server.baseUrl}/no-such-place-xyz`);
    assert.equal(await read('pilothouse_refusals_total', 'code="not_found"'), before + 2);
    assert.equal(await read('pilothouse_refusals_total', 'code="internal"'), 0);
    assert.doesNotMatch(await server.metrics.metrics(), /no-such-place/);
  });

  it('count streams that are open, those that are refused, and how late events come', async () => {
    const { session_id } = await server.client.sendChat({ prompt: script });
    const leaving = new AbortController();
    const open = () => fetch(`${server.baseUrl}/api/sessions/${session_id}/live`, { signal: leaving.signal });
    assert.equal((await open()).status, 200);
    assert.equal(await read('pilothouse_open_streams'), 1);
    await until(async () => (await read('pilothouse_events_followed', 'kind="listeners"')) === 1, 5000);
    assert.equal((await open()).status, 429);
    assert.equal(await read('pilothouse_refusals_total', 'code="rate_limited"'), 1);
    await server.client.sendChat({ prompt: script, session_id });
    await until(async () => ((await read('pilothouse_event_lag_seconds_count')) ?? 0) > 0, 5000);
    leaving.abort();
    await until(async () => (await read('pilothouse_open_streams')) === 0, 5000);
  });

  it('count events that nobody announced', async () => {
    const { session_id } = await server.client.sendChat({ prompt: script });
    const leaving = new AbortController();
    await fetch(`${server.baseUrl}/api/sessions/${session_id}/live`, { signal: leaving.signal });
    await until(async () => (await read('pilothouse_events_followed', 'kind="listeners"')) === 1, 5000);
    // A writer that dies before it announces what it has committed.
    const silent = openStore({ url: server.databaseUrl, blobDir: server.blobDir, onError: () => {} });
    await silent.change(session_id, (_tx, append) => append({ kind: 'log', data: {} }));
    await silent.close();
    await until(async () => ((await read('pilothouse_events_late_total')) ?? 0) >= 1, 10_000);
    leaving.abort();
  });
});
