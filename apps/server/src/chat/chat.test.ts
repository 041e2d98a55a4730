import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { parseScript, type Step } from '@pilothouse/contract';
import { createClient, isApiError } from '@pilothouse/sdk';
import { startTestServer, type TestServer } from '../../testing/server.ts';

const steps: Step[] = [{ action: 'screenshot' }];
const chat = { prompt: 'look', steps };

describe('a chat', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer({ isAuthDisabled: true });
  });
  after(() => server.close());

  const rowOf = async (id: string) => {
    const task = await server.store.tasks.byId(id);
    assert.ok(task);
    return task;
  };
  const count = (table: string): Promise<number> =>
    server.store.transaction(async ({ client }) => (await client.query(`select count(*) from ${table}`)).rows[0].count);

  it('stores the whole request with the task', async () => {
    const asked = {
      ...chat,
      planner: 'script' as const,
      model: 'small',
      current_url: 'http://127.0.0.1/',
      constraints: ['be quick'],
      allowed_domains: ['*.example.test'],
      output_schema: { type: 'object' },
      max_steps: 7,
      time_limit_secs: 70,
      profile_label: 'work',
    };
    const { task_id } = await server.client.sendChat(asked);
    const { prompt, steps: given, ...settings } = asked;
    const task = await rowOf(task_id);
    const profile_id = null;
    assert.deepEqual(task.settings, { ...settings, profile_id });
    assert.deepEqual(task.plan, { steps: given });
    assert.equal(task.prompt, prompt);
  });

  it('stores its files together with the task', async () => {
    const files = [
      { name: 'a.txt', content_base64: Buffer.from('one').toString('base64') },
      { name: 'empty', content_base64: '' },
    ];
    const { task_id } = await server.client.sendChat({ ...chat, files }, { idempotencyKey: 'files' });
    const again = await server.client.sendChat({ ...chat, files }, { idempotencyKey: 'files' });
    assert.equal(again.task_id, task_id);
    const kept = await server.store.files.listOf(task_id);
    assert.deepEqual(kept.map(({ name, byte_len }) => [name, byte_len]).toSorted(), [
      ['a.txt', 3],
      ['empty', 0],
    ]);
    const bytes = await server.store.blobs.get(kept.find(({ name }) => name === 'a.txt')?.blob_key ?? '');
    assert.equal(Buffer.from(bytes ?? []).toString(), 'one');
    const before = await count('files');
    const refused = server.client.sendChat({ ...chat, files, session_id: '01900000-0000-7000-8000-000000000000' });
    await assert.rejects(refused, { code: 'not_found' });
    assert.equal(await count('files'), before);
  });

  it('leaves no file behind if it is refused or repeated', async () => {
    const files = [{ name: 'a.txt', content_base64: Buffer.from('one').toString('base64') }];
    const sent = { ...chat, files };
    const options = { idempotencyKey: 'files at once' };
    const [first] = await Promise.all(Array.from({ length: 5 }, () => server.client.sendChat(sent, options)));
    assert.ok(first);
    const kept = await server.store.files.listOf(first.task_id);
    const lying = async () => (await readdir(server.blobDir, { recursive: true })).toSorted();
    const mine = (paths: string[]) => paths.filter((path) => path.includes('/files/'));
    const keys = (await server.store.transaction(({ client }) => client.query('select blob_key from files'))).rows;
    assert.deepEqual(mine(await lying()), keys.map(({ blob_key }) => blob_key).toSorted(), 'each has its row');
    assert.equal(kept.length, 1);

    const { session } = await server.client.createSession();
    await server.client.deleteSession({ id: session.id });
    const before = mine(await lying());
    await assert.rejects(server.client.sendChat({ ...sent, session_id: session.id }), { code: 'conflict' });
    assert.deepEqual(mine(await lying()), before, 'refused after they were put down');
  });

  it('writes nothing for a session of another user', async () => {
    const files = [{ name: 'a.txt', content_base64: Buffer.from('one').toString('base64') }];
    const guarded = await server.another({ isAuthDisabled: false });
    const as = async (username: string) => {
      const password = 'a lamp in the harbour';
      await guarded.client.register({ username, email: `${username}@example.test`, password });
      const { access_token } = await guarded.client.login({ username_or_email: username, password });
      return createClient({ baseUrl: guarded.baseUrl, token: () => access_token });
    };
    const [owner, stranger] = await Promise.all([as('files-owner'), as('files-stranger')]);
    const { session } = await owner.createSession();
    await assert.rejects(stranger.sendChat({ ...chat, files, session_id: session.id }), { code: 'not_found' });
    // Not even a folder.
    assert.deepEqual(await readdir(guarded.blobDir, { recursive: true }), []);
  });

  it('with a used idempotency key answers with the first task in its present state, whatever the order of the fields', async () => {
    const options = { idempotencyKey: 'first' };
    const output_schema = { type: 'object', title: 'x' };
    const first = await server.client.sendChat({ ...chat, output_schema }, options);
    await server.client.cancelTask({ id: first.task_id });
    const again = await server.client.sendChat(
      { steps, message: 'look', output_schema: { title: 'x', type: 'object' } },
      options,
    );
    assert.deepEqual(again, { ...first, status: 'cancelled' });
  });

  it('with an idempotency key of another request is refused', async () => {
    const options = { idempotencyKey: 'second' };
    const { task_id } = await server.client.sendChat(chat, options);
    await assert.rejects(server.client.sendChat({ ...chat, prompt: 'leap' }, options), { code: 'conflict' });
    await assert.rejects(server.client.rerunTask({ id: task_id }, options), { code: 'conflict' });
  });

  it('that was refused leaves its idempotency key free', async () => {
    const options = { idempotencyKey: 'third' };
    const { session } = await server.client.createSession();
    await server.client.deleteSession({ id: session.id });
    const asked = { ...chat, session_id: session.id };
    await assert.rejects(server.client.sendChat(asked, options), { code: 'conflict' });
    assert.ok((await server.client.sendChat(chat, options)).task_id);
  });

  it('with the same idempotency key as another user is a task of its own', async () => {
    const guarded = await server.another({ isAuthDisabled: false });
    const as = async (username: string) => {
      const password = 'a lamp in the harbour';
      await guarded.client.register({ username, email: `${username}@example.test`, password });
      const { access_token } = await guarded.client.login({ username_or_email: username, password });
      return createClient({ baseUrl: guarded.baseUrl, token: () => access_token });
    };
    const [one, other] = await Promise.all([as('anna'), as('ben')]);
    const options = { idempotencyKey: 'shared' };
    const [first, second] = await Promise.all([one.sendChat(chat, options), other.sendChat(chat, options)]);
    assert.notEqual(first.task_id, second.task_id);
  });

  it('frees its idempotency key after a day', async () => {
    const options = { idempotencyKey: 'old' };
    const first = await server.client.sendChat(chat, options);
    const age = (hours: number) =>
      server.store.transaction(({ client }) =>
        client.query(`update idempotency_keys set created_at = now() - make_interval(hours => $1) where key = 'old'`, [
          hours,
        ]),
      );
    await age(23);
    assert.equal((await server.client.sendChat(chat, options)).task_id, first.task_id);
    await age(25);
    const second = await server.client.sendChat({ ...chat, prompt: 'another' }, options);
    assert.notEqual(second.task_id, first.task_id);
    await age(25);
    const before = await count('idempotency_keys');
    assert.equal(await server.store.idempotency.sweep(10), 1);
    assert.equal(await count('idempotency_keys'), before - 1);
  });

  it('that only plans creates nothing, with or without an idempotency key', async () => {
    const before = await Promise.all(['tasks', 'sessions', 'idempotency_keys'].map(count));
    const { plan } = await server.client.sendChat({ ...chat, execute: false }, { idempotencyKey: 'plan' });
    assert.deepEqual(plan, { steps });
    assert.deepEqual(await Promise.all(['tasks', 'sessions', 'idempotency_keys'].map(count)), before);
  });

  it('is read as a script if it is one; otherwise its errors name the lines', async () => {
    const scripted = await server.another({ planners: { parseScript } });
    const { task_id } = await scripted.client.sendChat({ prompt: '# Look.\n\n screenshot' });
    const { plan, title } = await rowOf(task_id);
    assert.deepEqual(plan, { steps });
    assert.equal(title, 'Screenshot');
    const refused = await scripted.client
      .sendChat({ prompt: 'screenshot\nclik "Sign in"' })
      .catch((error: unknown) => error);
    assert.ok(isApiError(refused, 'validation_failed'));
    assert.deepEqual(refused.errors, [
      {
        pointer: '/body/prompt',
        message: 'line 2, column 1: “clik” is not an instruction. Did you mean `click "…"`?',
      },
    ]);
  });

  it('without a step is refused', async () => {
    const scripted = await server.another({ planners: { parseScript } });
    for (const body of [{ prompt: 'look', steps: [] }, { prompt: '# Nothing to do.' }, { prompt: ' ' }])
      await assert.rejects(scripted.client.sendChat(body), { code: 'validation_failed', status: 400 });
  });

  it('has a title from its steps, without typed text; only free words are their own title', async () => {
    const planners = { parseScript, models: async () => ['test/one'] };
    const scripted = await server.another({ planners });
    const prompt =
      'let word = "hunter2"\nopen https://anna:hunter2@shop.test/in?word=hunter2\ntype "{word}" into "Password"';
    const given: Step[] = [
      { action: 'type', target: { label: 'Code' }, text: 'hunter2', title: 'Write hunter2 into it' },
      { action: 'press', key: 'h' },
      { action: 'press', key: 'Enter' },
    ];
    const cases: [object, string][] = [
      [{ prompt }, 'Open shop.test, Type into "Password"'],
      [{ prompt: 'log in with hunter2', steps: given }, 'Write •••••• into it, Press a key, Press Enter'],
      [{ prompt: 'Find  a\nlantern' }, 'Find a lantern'],
      [{ prompt: 'word '.repeat(30) }, `${'word '.repeat(15)}word…`],
      [
        { prompt: Array.from({ length: 9 }, () => 'click "Brass lantern"').join('\n') },
        'Click "Brass lantern", Click "Brass lantern", Click "Brass lantern", Click "Bra…',
      ],
    ];
    for (const [body, expected] of cases) {
      const { task_id, session_id } = await scripted.client.sendChat(
        body as Parameters<typeof scripted.client.sendChat>[0],
      );
      assert.equal((await rowOf(task_id)).title, expected);
      const { session } = (await scripted.client.getSession({ id: session_id })).snapshot;
      assert.equal(session.title, expected);
      const again = await scripted.client.rerunTask({ id: task_id });
      assert.equal((await rowOf(again.task_id)).title, expected);
    }
    const { session } = await scripted.client.createSession({ title: 'Mine' });
    await scripted.client.sendChat({ prompt, session_id: session.id });
    assert.equal((await scripted.client.getSession({ id: session.id })).snapshot.session.title, 'Mine');
  });

  it('for a model is refused when the budget of the day is used up, and scripts are not', async () => {
    const planners = { parseScript, models: async () => ['test/one'] };
    const modelLimits = { tokens: 1000, costMicros: 0 };
    const strict = await startTestServer({ isAuthDisabled: true, planners, modelLimits });
    try {
      const { client, store } = strict;
      const { task_id } = await client.sendChat({ prompt: 'Find a lantern', planner: 'llm' });
      await store.transaction((tx) =>
        tx.client.query(
          `insert into model_calls (task_id, number, execution_id, purpose, model, status, estimated_tokens, input_tokens, user_id)
           select id, 1, id, 'decide', 'm', 'ok', 1, 1000, created_by from tasks where id = $1`,
          [task_id],
        ),
      );
      const detail =
        /^The 1000 tokens that models may use for one person in a day are used up\. It begins again at \d{4}-\d\d-\d\d 00:00 UTC\.$/;
      const isRefusal = (error: { status: number; code: string; message: string; retryAfterSecs?: number }) => {
        assert.deepEqual([error.status, error.code], [429, 'quota_exceeded']);
        assert.match(error.message, detail);
        return true;
      };
      await assert.rejects(client.sendChat({ prompt: 'Find another' }), isRefusal);
      await assert.rejects(client.rerunTask({ id: task_id }), isRefusal);
      await client.sendChat({ prompt: 'screenshot' });
      const { caller } = await client.getCapabilities();
      assert.deepEqual(caller?.model_budget?.tokens, { limit: 1000, used: 1000 });
      assert.equal(caller?.model_budget?.cost_micros, null);
      assert.match(caller?.model_budget?.ends_at ?? '', /T00:00:00/);
    } finally {
      await strict.close();
    }
  });

  it('over the quota is refused until a task ends', async () => {
    const strict = await startTestServer({ isAuthDisabled: true, quotas: { tasks: 2, sessions: 2 } });
    try {
      const first = await strict.client.sendChat(chat);
      await strict.client.sendChat({ ...chat, session_id: first.session_id });
      const asked = { ...chat, session_id: first.session_id };
      const refused = await strict.client.sendChat(asked).catch((error: unknown) => error);
      assert.ok(isApiError(refused, 'quota_exceeded'));
      assert.equal(refused.status, 429);
      await assert.rejects(strict.client.rerunTask({ id: first.task_id }), { code: 'quota_exceeded' });
      await strict.client.cancelTask({ id: first.task_id });
      await strict.client.rerunTask({ id: first.task_id });
      const { session } = await strict.client.createSession();
      await assert.rejects(strict.client.createSession(), { code: 'quota_exceeded' });
      await strict.client.deleteSession({ id: session.id });
      await strict.client.createSession();
    } finally {
      await strict.close();
    }
  });

  it('with files over the quota is refused, and leaves no file', async () => {
    const strict = await startTestServer({ isAuthDisabled: true, quotas: { fileBytes: 30_000 } });
    try {
      const files = [{ name: 'a.bin', content_base64: Buffer.alloc(10_000).toString('base64') }];
      const sent = await Promise.allSettled(
        Array.from({ length: 8 }, () => strict.client.sendChat({ ...chat, files })),
      );
      const refused = sent.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
      assert.equal(refused.length, 5);
      assert.ok(refused.every((error) => isApiError(error, 'quota_exceeded') && error.status === 429));
      const stored = (await readdir(strict.blobDir, { recursive: true })).filter((path) => /\/files\/./.test(path));
      assert.equal(stored.length, 3);
      const { sessions } = await strict.client.listSessions();
      assert.equal(sessions.length, 3, 'nor a session');
      await strict.client.sendChat(chat);
      // Closing frees nothing: the bytes are still there. Purging does.
      const [first] = sessions;
      await strict.client.deleteSession({ id: first?.id ?? '' });
      await assert.rejects(strict.client.sendChat({ ...chat, files }), { code: 'quota_exceeded' });
      await strict.client.deleteSession({ id: first?.id ?? '', purge: true });
      await strict.client.sendChat({ ...chat, files });
    } finally {
      await strict.close();
    }
  });

  it('in a session with another profile is refused', async () => {
    const { session } = await server.client.createSession({ profile_label: 'home' });
    const asked = { ...chat, session_id: session.id };
    await assert.rejects(server.client.sendChat({ ...asked, profile_label: 'away' }), { code: 'conflict' });
    assert.ok((await server.client.sendChat({ ...asked, profile_label: 'home' })).task_id);
  });
});

describe('a rerun', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer({ isAuthDisabled: true });
  });
  after(() => server.close());

  it('is a new task with the same plan and settings in the same session', async () => {
    const asked = { ...chat, constraints: ['be quick'], max_steps: 3 };
    const { task_id, session_id } = await server.client.sendChat(asked);
    const again = await server.client.rerunTask({ id: task_id });
    assert.equal(again.session_id, session_id);
    assert.equal(again.status, 'pending');
    const [first, second] = await Promise.all([task_id, again.task_id].map((id) => server.store.tasks.byId(id)));
    assert.ok(first && second);
    assert.notEqual(second.id, first.id);
    assert.equal(second.rerun_of, first.id);
    for (const field of ['plan', 'settings', 'prompt', 'title', 'total_steps'] as const)
      assert.deepEqual(second[field], first[field], field);
  });

  it('with an idempotency key is one task, however often it is sent', async () => {
    const { task_id } = await server.client.sendChat(chat);
    const options = { idempotencyKey: 'once more' };
    const replies = await Promise.all(
      Array.from({ length: 10 }, () => server.client.rerunTask({ id: task_id }, options)),
    );
    assert.equal(new Set(replies.map((reply) => reply.task_id)).size, 1);
  });

  it('waits its turn like any other, and not in a closed session', async () => {
    const { task_id, session_id } = await server.client.sendChat(chat);
    for (let i = 0; i < 19; i++) await server.client.rerunTask({ id: task_id });
    await assert.rejects(server.client.rerunTask({ id: task_id }), { code: 'conflict' });
    await server.client.deleteSession({ id: session_id });
    await assert.rejects(server.client.rerunTask({ id: task_id }), { code: 'conflict' });
  });
});
