import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Approval, Step } from '@pilothouse/contract';
import { createClient } from '@pilothouse/sdk';
import { newId } from '@pilothouse/store';
import { takeRun } from '@pilothouse/store/testing/runs';
import { startTestServer, type TestServer } from '../../testing/server.ts';
import { registerUser } from '../../testing/users.ts';

const steps: Step[] = [{ action: 'click', target: 'Place order' }];
const choices = [
  { value: 'once', label: 'Yes, this once' },
  { value: 'kind', label: 'Yes, to this kind on this site in this task' },
  { value: 'no', label: 'No' },
];

describe('the policy of a user and of a task', () => {
  let server: TestServer;
  let owner: Awaited<ReturnType<typeof registerUser>>;
  before(async () => {
    server = await startTestServer({ isAuthDisabled: false });
    owner = await registerUser(server);
  });
  after(() => server.close());

  const promote = async () => {
    const admin = await registerUser(server);
    await server.store.users.setRole(admin.id, 'admin');
    const { access_token } = await admin.logIn();
    return createClient({ baseUrl: server.baseUrl, token: () => access_token });
  };

  it('is nothing at first, is replaced as a whole, and is the own of each user', async () => {
    const rules = { mode: 'standard', allow: [], deny: [], read_only: [], watch: [] } as const;
    assert.deepEqual(await owner.client.getPolicy(), { success: true, policy: {}, effective: rules });
    const policy = { mode: 'careful', deny: ['ads.example'], watch: ['bank.example'] } as const;
    const effective = { ...rules, mode: 'careful', deny: ['ads.example'], watch: ['bank.example'] };
    assert.deepEqual(await owner.client.setPolicy({ ...policy, deny: [...policy.deny], watch: [...policy.watch] }), {
      success: true,
      policy,
      effective,
    });
    assert.deepEqual((await owner.client.getPolicy()).effective, effective);
    assert.deepEqual((await (await registerUser(server)).client.getPolicy()).policy, {});
    await owner.client.setPolicy({});
    assert.deepEqual((await owner.client.getPolicy()).effective, rules);
  });

  it('can only be stricter than that of the installation', async () => {
    const installation = { mode: 'careful', deny: ['bank.example'], allow: ['example'] } as const;
    const strict = await server.another({
      isAuthDisabled: false,
      installation: { ...installation, deny: ['bank.example'], allow: ['example'] },
    });
    const user = await registerUser(strict);
    const { effective } = await user.client.setPolicy({ mode: 'standard', allow: ['shop.example', 'other.test'] });
    assert.deepEqual(effective, {
      mode: 'careful',
      allow: ['shop.example'],
      deny: ['bank.example'],
      read_only: [],
      watch: [],
    });
  });

  it('is free only for administrators: in their rules, in a chat and in a task that is run again', async () => {
    const free = { policy: { mode: 'free' as const } };
    const { key } = await owner.client.createKey({ label: 'a program' });
    const program = createClient({ baseUrl: server.baseUrl, token: () => key.key_token });
    for (const caller of [owner.client, program]) {
      await assert.rejects(caller.setPolicy(free.policy), { code: 'forbidden', status: 403 });
      await assert.rejects(caller.sendChat({ prompt: 'x', steps, ...free }), { code: 'forbidden', status: 403 });
    }
    assert.deepEqual((await owner.client.listTasks()).tasks, [], 'nothing began');
    const { task_id } = await owner.client.sendChat({ prompt: 'x', steps, policy: { mode: 'careful' } });
    assert.deepEqual((await owner.client.getTask({ id: task_id })).task.settings.policy, { mode: 'careful' });
    await owner.client.rerunTask({ id: task_id });
    await server.store.transaction(({ client }) =>
      client.query(`update tasks set settings = settings || '{"policy": {"mode": "free"}}' where id = $1`, [task_id]),
    );
    await assert.rejects(owner.client.rerunTask({ id: task_id }), { code: 'forbidden', status: 403 });
    const admin = await promote();
    assert.equal((await admin.setPolicy({ mode: 'free' })).effective.mode, 'free');
    const begun = await admin.sendChat({ prompt: 'x', steps, ...free });
    assert.ok((await admin.rerunTask({ id: begun.task_id })).task_id);
  });
});

describe('a yes to an act', () => {
  let server: TestServer;
  let owner: Awaited<ReturnType<typeof registerUser>>;
  before(async () => {
    server = await startTestServer({ isAuthDisabled: false });
    owner = await registerUser(server);
  });
  after(() => server.close());

  const facts = {
    ...{ role: 'button', name: 'Place order', value: null, page: 'https://shop.test/cart', frame_origin: null },
    ...{ form_action: 'https://shop.test/order', amounts: ['€ 20.00'], bbox: null },
  };

  /** As an agent does it whose host needs a yes. */
  async function asked({ expiresInSecs = 600 } = {}) {
    const { store } = server;
    const { task_id: id, session_id } = await owner.client.sendChat({ prompt: 'x', steps });
    await takeRun(store, id);
    const begun = await store.transaction((tx) => store.tasks.beginExecution(tx, id, newId()));
    const approvalId = newId();
    const approval: Omit<Approval, 'expires_at'> = {
      ...{ id: approvalId, class: 'commit', why: 'It commits.', action: 'Click "Place order"', ...facts },
      ...{ secret: null, picture_path: null, void_reason: null },
    };
    await store.change(session_id, async (tx) => {
      const act = { fingerprint: 'f', class: 'commit', site: 'https://shop.test', facts, expiresInSecs } as const;
      await store.approvals.add(tx, { id: approvalId, taskId: id, stepIndex: 1, ...act });
      const question = {
        text: 'May it?',
        stepId: 'step-1',
        expiresInSecs,
        kind: 'approval' as const,
        choices,
        approval,
      };
      const held = { id, executionId: begun?.executionId ?? '' };
      assert.ok(await store.questions.ask(tx, held, { ...question, takesWords: false }, null));
    });
    const row = async () => (await store.approvals.of(id))[0];
    return { id, session_id, approval, row };
  }

  it('is shown with the question, answered once by the owner, and on record', async () => {
    const { id, approval, row } = await asked();
    const { question } = (await owner.client.getTaskStatus({ id })).status;
    assert.deepEqual(question?.approval, { ...approval, expires_at: question?.expires_at });
    const { items } = await owner.client.listInbox();
    assert.equal(items.find(({ task_id }) => task_id === id)?.question?.approval?.id, approval.id);
    const said = { id, answer: 'once', asked_at: question?.asked_at };
    const answers = await Promise.allSettled([owner.client.signalTakeover(said), owner.client.signalTakeover(said)]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
    const answered = await row();
    assert.deepEqual(
      [answered?.answer, answered?.answered_by, answered?.approver, answered?.used_at],
      ['once', owner.id, owner.username, null],
    );
    const audit = (await server.store.audit.of(owner.id)).filter(({ event }) => event === 'approval_answered');
    assert.deepEqual(audit.at(-1)?.data, { task_id: id, approval_id: approval.id, answer: 'once' });
  });

  it('is told in words in the conversation of the task, while the record keeps the answer', async () => {
    for (const { value, label } of choices) {
      const { id, row } = await asked();
      await owner.client.signalTakeover({ id, answer: value });
      const { items } = (await owner.client.getMessageState({ id })).message_state;
      assert.equal(items.find(({ kind }) => kind === 'answer')?.content, label);
      assert.equal((await row())?.answer, value);
    }
  });

  it('is given by nobody but the owner: not by strangers, guests or administrators', async () => {
    const { id, session_id, row } = await asked();
    const stranger = await registerUser(server);
    const admin = await registerUser(server);
    await server.store.users.setRole(admin.id, 'admin');
    const { access_token } = await admin.logIn();
    const { share } = await owner.client.shareSession({ id: session_id });
    const guest = createClient({ baseUrl: server.baseUrl, token: () => share.share_token });
    const others = [
      [stranger.client, 'not_found'],
      [createClient({ baseUrl: server.baseUrl, token: () => access_token }), 'not_found'],
      [guest, 'token_invalid'],
      [createClient({ baseUrl: server.baseUrl }), 'token_missing'],
    ] as const;
    for (const [client, code] of others)
      await assert.rejects(client.signalTakeover({ id, answer: 'once' }), { code }, code);
    assert.equal((await row())?.answer, null);
  });

  it('is one of its three words, and words of a message are none', async () => {
    const { id, row } = await asked();
    for (const answer of ['yes', 'sure, go ahead', 'on']) {
      await assert.rejects(owner.client.signalTakeover({ id, answer }), { code: 'invalid_answer' });
    }
    await owner.client.sendTaskMessage({ id, text: 'once' });
    assert.equal((await row())?.answer, null);
    await owner.client.signalTakeover({ id, answer: 'No' });
    assert.equal((await row())?.answer, 'no');
  });

  it('comes too late after its time', async () => {
    const { id, row } = await asked({ expiresInSecs: 0 });
    await assert.rejects(owner.client.signalTakeover({ id, answer: 'once' }), { code: 'conflict' });
    assert.equal((await row())?.answer, null);
  });

  it('leaves nothing behind when its session is purged', async () => {
    const { id, session_id, row } = await asked();
    await owner.client.cancelTask({ id });
    await owner.client.deleteSession({ id: session_id, purge: true });
    assert.equal(await row(), undefined);
  });
});
