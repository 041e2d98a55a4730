import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectBus, type HostCommand, hostCommand } from '@pilothouse/bus';
import type { Step } from '@pilothouse/contract';
import { openCasting } from '../../testing/cast.ts';
import { startTestServer, type TestServer } from '../../testing/server.ts';

const steps: Step[] = [{ action: 'screenshot' }];

describe('closing a session', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer({ isAuthDisabled: true });
  });
  after(() => server.close());

  const chat = (session_id?: string) => server.client.sendChat({ prompt: 'look', steps, session_id });
  const close = (id: string, purge?: boolean) => server.client.deleteSession({ id, purge });
  const detail = async (id: string) => (await server.client.getSession({ id })).snapshot;

  it('cancels what has not ended, keeps the record, and lets nothing new begin', async () => {
    const first = await chat();
    const second = await chat(first.session_id);
    const { store } = server;
    await store.transaction((tx) => store.tasks.beginExecution(tx, first.task_id, randomUUID()));
    assert.deepEqual(await close(first.session_id), { success: true });
    for (const { task_id } of [first, second]) {
      const { status } = await server.client.getTaskStatus({ id: task_id });
      assert.equal(status.status, 'cancelled');
      assert.equal(status.last_error, 'The session was closed.');
    }
    const { session } = await detail(first.session_id);
    assert.equal(session.status, 'closed');
    assert.equal(session.browser, 'cold');
    await assert.rejects(chat(first.session_id), { code: 'conflict', status: 409 });
    await assert.rejects(server.client.rerunTask({ id: first.task_id }), { code: 'conflict' });
    const closed = await server.client.listSessions({ status: 'closed', limit: 200 });
    assert.ok(closed.sessions.some(({ id }) => id === first.session_id));
  });

  it('twice is as good as once, and says so once', async () => {
    const { session } = await server.client.createSession();
    await Promise.all([close(session.id), close(session.id), close(session.id)]);
    await close(session.id);
    const events = await server.store.events.after(session.id, 0, { limit: 100 });
    assert.deepEqual(
      events.map(({ data }) => (data.session as { status: string }).status),
      ['closed'],
    );
  });

  it('has the host end its browser, and is cold once it did', async () => {
    const host = await connectBus({ ...server.nats.as({ host: 'browser-1' }), name: 'a host' });
    const told: HostCommand[] = [];
    const responder = host.respond(hostCommand, { host_id: 'browser-1' }, async (command) => {
      told.push(command);
      return { ok: true };
    });
    await responder.ready({ timeoutMs: 5000 });
    const { session } = await server.client.createSession();
    const { store } = server;
    await store.transaction(async (tx) => {
      await store.browsers.assign(tx, session.id, { id: 'browser-1', bootId: randomUUID() }, 0);
      await store.sessions.setBrowser(tx, session.id, 'live');
    });
    await close(session.id);
    const late = AbortSignal.timeout(5000);
    while ((await detail(session.id)).session.browser !== 'cold') await sleep(20, undefined, { signal: late });
    assert.deepEqual(told, [{ type: 'close', session_id: session.id, epoch: 2 }]);
    assert.equal((await store.browsers.of(session.id))?.host_id, null);
    await host.close();
  });

  it('with purge forgets what was seen, and keeps what was asked for', async () => {
    const casting = await openCasting({ server, gate: server, brief: server });
    const cast = await casting.newCast();
    await casting.close();
    const id = cast.idOf('session', 'owners') ?? '';
    const task = cast.idOf('task', 'owners') ?? '';
    const { store } = server;
    const key = `sessions/${id}/kept.jpeg`;
    await store.blobs.put(key, Buffer.from('x'));
    await store.transaction((tx) => store.browsers.seed(tx, id, { storage: {}, pages: [] }));
    assert.ok((await detail(id)).last_frame);
    await store.change(id, async (tx, append) => {
      const begun = await store.tasks.beginExecution(tx, task, randomUUID());
      const held = { id: task, executionId: begun?.executionId ?? '' };
      await store.questions.ask(tx, held, { text: 'The code?', stepId: null, expiresInSecs: 60 }, null);
      await store.logs.append(tx, append, { taskId: task, level: 'info', message: 'Answered: 424242' });
    });
    await server.client.signalTakeover({ id: task, answer: '424242' });
    const said = async () => {
      const { logs } = await server.client.listLogs({ id: task });
      const { message_state } = await server.client.getMessageState({ id: task });
      return JSON.stringify([logs, message_state]);
    };
    assert.ok((await said()).includes('424242'));

    await close(id, true);
    const { session, last_frame, overlays } = await detail(id);
    assert.equal(session.status, 'closed');
    assert.equal(last_frame, null);
    assert.deepEqual(overlays, []);
    assert.equal(await store.blobs.get(key), undefined);
    assert.deepEqual((await store.observations.listOf(task, { limit: 10 })).rows, []);
    assert.equal(await store.transaction((tx) => store.browsers.stateOf(tx, id)), null);
    const { status } = await server.client.getTaskStatus({ id: task });
    assert.equal(status.status, 'cancelled');
    assert.deepEqual((await server.client.listLogs({ id: task })).logs, []);
    assert.ok(!(await said()).includes('424242'), 'nor is it in what was said');
    const left = await store.events.after(id, 0, { limit: 100 });
    assert.deepEqual(
      left.map(({ kind, task_id }) => [kind, task_id !== null]),
      [
        ['status', true],
        ['status', true],
        ['status', false],
      ],
      'the end of each task and of the session',
    );
    const seen: string[] = [];
    for await (const event of server.client.followTask({ id: task })) seen.push(event.type);
    assert.deepEqual(seen, ['status', 'end'], 'whoever follows learns that it is over');
    assert.deepEqual(await close(id, true), { success: true });
  });

  it('with purge keeps nothing that a host hands over later', async () => {
    const { store } = server;
    const state = { storage: { cookie: 'x' }, pages: [] };
    const stateOf = (id: string) => store.transaction((tx) => store.browsers.stateOf(tx, id));
    const opened = async () => {
      const { session } = await server.client.createSession();
      const host = { id: 'silent', bootId: randomUUID() };
      const assigned = await store.transaction((tx) => store.browsers.assign(tx, session.id, host, 0));
      return { id: session.id, held: { hostId: 'silent', epoch: assigned?.epoch ?? 0 } };
    };

    const parked = await opened();
    const epoch = await store.transaction((tx) => store.browsers.park(tx, parked.id, parked.held));
    assert.equal(epoch, 2);
    await close(parked.id, true);
    assert.equal(await store.transaction((tx) => store.browsers.keepParked(tx, parked.id, 2, state)), false);
    assert.equal(await stateOf(parked.id), null);

    // Closed first, by a host that does not answer, and purged afterwards.
    const silent = await opened();
    await close(silent.id);
    const held = { hostId: 'silent', epoch: silent.held.epoch + 1 };
    await close(silent.id, true);
    await store.transaction(async (tx) => {
      assert.equal(await store.browsers.keepState(tx, silent.id, held, state), false);
      assert.equal(await store.browsers.park(tx, silent.id, held), undefined);
    });
    assert.equal(await stateOf(silent.id), null);
  });

  it('purges also what was closed before', async () => {
    const { session_id } = await chat();
    await close(session_id);
    await close(session_id, true);
    assert.equal((await server.store.events.after(session_id, 0, { limit: 100 })).length, 2);
  });
});
