import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { connectBus, type HostCommand, hostCommand } from '@pilothouse/bus';
import type { Step } from '@pilothouse/contract';
import { until } from '../../../../testkit/until.ts';
import { openActorSets } from '../../testing/actors.ts';
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

  it('cancels open tasks, keeps the records, and refuses new tasks', async () => {
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

  it('twice is the same as once, with one event', async () => {
    const { session } = await server.client.createSession();
    await Promise.all([close(session.id), close(session.id), close(session.id)]);
    await close(session.id);
    const events = await server.store.events.after(session.id, 0, { limit: 100 });
    assert.deepEqual(
      events.map(({ data }) => (data.session as { status: string }).status),
      ['closed'],
    );
  });

  for (const purge of [false, true])
    it(`has the host close the browser, and sets the session to cold after that${purge ? ', with purge too' : ''}`, async () => {
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
      await close(session.id, purge);
      await until(async () => (await detail(session.id)).session.browser === 'cold', 5000);
      assert.deepEqual(told, [{ type: 'close', session_id: session.id, epoch: 2 }]);
      assert.equal((await store.browsers.of(session.id))?.host_id, null);
      await host.close();
    });

  it('with purge removes observations, and keeps the requests', async () => {
    const actorSets = await openActorSets({ server, gate: server, brief: server });
    const actors = await actorSets.newActors();
    const id = actors.idOf('session', 'owners') ?? '';
    const task = actors.idOf('task', 'owners') ?? '';
    const { store } = server;
    const key = `sessions/${id}/kept.jpeg`;
    await store.blobs.put(key, Buffer.from('x'));
    await store.transaction((tx) => store.browsers.seed(tx, id, { storage: {}, pages: [] }));
    assert.ok((await detail(id)).last_frame);
    await store.change(id, async (tx, append) => {
      const begun = await store.tasks.beginExecution(tx, task, randomUUID());
      const held = { id: task, executionId: begun?.executionId ?? '' };
      await store.questions.ask(tx, held, { text: 'The code?', stepId: null, expiresInSecs: 60 }, null);
      await store.logs.append(append, { taskId: task, level: 'info', message: 'Answered: 424242' });
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
    assert.deepEqual(seen, ['status', 'end'], 'followers learn that it is over');
    assert.deepEqual(await close(id, true), { success: true });
  });

  it('with purge leaves no typed text and no answer in any table, and keeps the steps without them', async () => {
    const { store, client } = server;
    const [word, code, other] = ['hunter2-3f1c', 'one-time-77ab', 'sesame-90de'];
    const { session } = await client.createSession({ title: `Log in with ${word}` });
    const { session_id, task_id } = await client.sendChat(
      {
        prompt: `log in as anna with ${word}`,
        session_id: session.id,
        constraints: [`never show ${word}`],
        output_schema: { title: word },
        current_url: `http://shop.test/?word=${word}`,
        steps: [
          { action: 'type', target: 'Password', text: word, title: `Type ${word}` },
          { action: 'answer_dialog', accept: true, text: other },
          { action: 'wait', for: { text: `${word} is wrong` } },
        ],
      },
      { idempotencyKey: 'purged' },
    );
    const chatted = await client.sendChat({ prompt: `say ${other}`, steps, session_id });
    const key = async () => {
      const { rows } = await query('select * from idempotency_keys where task_id = $1', [task_id]);
      return rows;
    };
    const query = (text: string, values: unknown[] = []) =>
      store.transaction(({ client: connection }) => connection.query(text, values));
    const [before] = await key();
    await store.change(session_id, async (tx, append) => {
      const begun = await store.tasks.beginExecution(tx, task_id, randomUUID());
      assert.ok(begun);
      const held = { id: task_id, executionId: begun.executionId };
      const step = { taskId: task_id, executionId: held.executionId, index: 1, title: 'Type' };
      const attempt = await store.steps.begin(tx, step, { commandId: randomUUID(), epoch: 1 });
      const effect = { status: 'failed', error: `The page says: ${word}` } as const;
      assert.ok(attempt && (await store.steps.end(tx, step, attempt.attempt.try, effect)));
      const planItems = [{ text: `Log in with ${word}` }];
      await store.questions.ask(tx, held, { text: 'The code?', stepId: null, expiresInSecs: 60, planItems }, null);
      await append({ taskId: task_id, kind: 'test', data: { word } });
      const file = { id: randomUUID(), task_id, name: `${word}.txt`, content_type: 'text/plain', byte_len: 1 };
      await store.files.add(tx, { ...file, blob_key: `sessions/${session_id}/x` }, 1000);
    });
    await client.signalTakeover({ id: task_id, answer: code });
    const result = {
      summary: `Done: ${word}`,
      data: { [word]: [`Hello ${word}`] },
      files: [],
      answers: [{ step_id: null, question: 'The code?', text: code }],
    };
    await store.transaction(async (tx) => {
      const executionId = (await store.tasks.byId(task_id))?.execution_id ?? '';
      await store.steps.hold(tx, { taskId: task_id, executionId, index: 1, title: `Type ${word}` });
      const lastError = `It failed: ${other}`;
      assert.ok(await store.tasks.move(tx, { id: task_id, executionId }, 'finish', { result, lastError }));
    });
    const holding = async () => {
      const { rows: tables } = await query(
        `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
         where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
      );
      const found: string[] = [];
      for (const { name } of tables) {
        const { rows } = await query(`select t::text as row from ${name} t`);
        const text = rows.map(({ row }) => row).join();
        for (const secret of [word, code, other]) if (text.includes(secret)) found.push(`${name} ${secret}`);
      }
      return found;
    };
    assert.ok((await holding()).length > 5);

    await close(session_id, true);
    assert.deepEqual(await holding(), []);
    const { task } = await client.getTask({ id: task_id });
    assert.equal(task.title, 'Type ••••••, Answer dialog, Wait for "•••••• is wrong"');
    assert.equal(
      task.prompt,
      [
        'type "••••••" into "Password" -- "Type ••••••"',
        'accept dialog with "••••••"',
        'wait for "•••••• is wrong"',
      ].join('\n'),
    );
    assert.deepEqual(task.result, { summary: `Done: ${task.title}`, data: { '••••••': ['Hello ••••••'] }, files: [] });
    assert.equal((await client.getTask({ id: chatted.task_id })).task.prompt, 'screenshot');
    const { message_state } = await client.getMessageState({ id: task_id });
    assert.equal(message_state.task_prompt, task.prompt);
    assert.equal((await detail(session_id)).session.title, 'Log in with ••••••');
    await assert.rejects(client.rerunTask({ id: task_id }), { code: 'conflict', status: 409 });

    const [after] = await key();
    assert.deepEqual({ ...after, request_hash: null }, { ...before, request_hash: null });
    assert.notDeepEqual(after?.request_hash, before?.request_hash, 'the hash cannot be used to guess the text');
    const again = client.sendChat({ prompt: 'look', steps }, { idempotencyKey: 'purged' });
    await assert.rejects(again, { code: 'conflict' }, 'and the key stays taken');
  });

  it('with purge stores nothing that a host sends later', async () => {
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

  it('removes the saved browser state, and stores none that comes later', async () => {
    const { store } = server;
    const { session } = await server.client.createSession();
    const bootId = randomUUID();
    await store.transaction(async (tx) => {
      await store.browsers.assign(tx, session.id, { id: 'browser-1', bootId }, 0);
      assert.ok(await store.browsers.saveState(tx, session.id, 1, { storage: {}, pages: [] }));
    });
    await close(session.id);
    const { epoch = 0 } = (await store.browsers.of(session.id)) ?? {};
    await store.transaction(async (tx) => {
      assert.equal(await store.browsers.stateOf(tx, session.id), null);
      assert.equal(await store.browsers.saveState(tx, session.id, epoch, { storage: {}, pages: [] }), false);
    });
  });

  it('purges a session that was closed before', async () => {
    const { session_id } = await chat();
    await close(session_id);
    await close(session_id, true);
    assert.equal((await server.store.events.after(session_id, 0, { limit: 100 })).length, 2);
  });
});
