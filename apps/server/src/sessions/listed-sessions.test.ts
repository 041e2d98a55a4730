import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Client, createClient } from '@pilothouse/sdk';
import type { Caller } from '@pilothouse/store';
import { watchQueries } from '@pilothouse/store/testing/queries';
import pg from 'pg';
import { makeFrame } from '../../testing/recording.ts';
import { startTestServer, type TestServer } from '../../testing/server.ts';
import { makeTask } from '../../testing/tasks.ts';
import { registerUser } from '../../testing/users.ts';

const picture = Buffer.from('a picture');

describe('the list of sessions', () => {
  let server: TestServer;
  let plain: pg.Pool;
  let client: Client;
  let stranger: Client;
  let owner: Caller;
  before(async () => {
    server = await startTestServer({ isAuthDisabled: false });
    plain = new pg.Pool({ connectionString: server.databaseUrl });
    [{ client, caller: owner }, { client: stranger }] = [await newUser(), await newUser()];
  });
  after(async () => {
    await plain.end();
    await server.close();
  });

  const newUser = () => registerUser(server);
  const listed = async (id: string) => {
    const found = (await client.listSessions({ limit: 200 })).sessions.find((session) => session.id === id);
    assert.ok(found);
    return found;
  };
  const statusOf = async (id: string, by = client, headers: Record<string, string> = {}) =>
    (await by.getThumbnail({ id }, { headers })).status;

  it('says of an empty session that there is no task, nobody is needed, and there is no picture', async () => {
    const { session } = await client.createSession({ title: 'empty' });
    const { last_task, needs_person, thumbnail } = await listed(session.id);
    assert.deepEqual([last_task, needs_person, thumbnail], [null, null, null]);
    await assert.rejects(client.getThumbnail({ id: session.id }), { code: 'not_found' });
  });

  it('has the last task with its title, state and step', async () => {
    const task = await makeTask(server.store, { owner });
    await plain.query(
      `update tasks set status = 'running', current_step = 2, current_step_title = 'Buy it', started_at = now() where id = $1`,
      [task.id],
    );
    const { last_task } = await listed(task.session_id);
    assert.ok(last_task?.started_at);
    const { id, title, status, current_step, current_step_title, total_steps } = last_task;
    assert.deepEqual(
      { id, title, status, current_step, current_step_title, total_steps },
      {
        id: task.id,
        title: 'A lantern',
        status: 'running',
        current_step: 2,
        current_step_title: 'Buy it',
        total_steps: 3,
      },
    );
  });

  it('says which task needs a person and why, also if a later task waits behind it', async () => {
    const task = await makeTask(server.store, { owner });
    const next = await makeTask(server.store, { owner, sessionId: task.session_id });
    const question = { text: `Which lantern? ${'x'.repeat(400)}`, asked_at: new Date() };
    await plain.query(
      `update tasks set status = 'awaiting_user', paused_at = date_trunc('milliseconds', now()), question = $2 where id = $1`,
      [task.id, question],
    );
    const asked = await listed(task.session_id);
    assert.equal(asked.last_task?.id, next.id);
    assert.equal(asked.needs_person?.task_id, task.id);
    assert.equal(asked.needs_person?.why, 'question');
    assert.equal(asked.needs_person?.text?.length, 200);
    await plain.query(`update tasks set status = 'takeover', question = null where id = $1`, [task.id]);
    const taken = (await listed(task.session_id)).needs_person;
    assert.deepEqual([taken?.why, taken?.text], ['takeover', null]);
    await plain.query(`update tasks set status = 'success', finished_at = now() where id = $1`, [task.id]);
    assert.equal((await listed(task.session_id)).needs_person, null);
  });

  it('reads a page of any length with the same number of statements', async () => {
    const sentFor = async (limit: number) => {
      const watch = watchQueries();
      await client.listSessions({ limit }).finally(watch.close);
      return watch.sent.length;
    };
    for (let n = 0; n < 5; n += 1) await makeTask(server.store, { owner });
    const one = await sentFor(1);
    assert.equal(await sentFor(5), one);
  });

  describe('has a picture of each session', () => {
    it('that is the newest kept one, is answered 304 while it is known, and is for its owner only', async () => {
      const task = await makeTask(server.store, { owner });
      const frameId = await makeFrame(server.store, task, { image: picture });
      const { thumbnail } = await listed(task.session_id);
      assert.equal(thumbnail?.frame_id, frameId);
      assert.equal(thumbnail?.private, false);
      assert.equal(thumbnail?.path, `/api/sessions/${task.session_id}/thumbnail`);
      const response = await client.getThumbnail({ id: task.session_id });
      const etag = response.headers.get('etag') ?? '';
      assert.equal(response.headers.get('content-type'), 'image/jpeg');
      assert.equal(await response.text(), 'a picture');
      assert.equal(await statusOf(task.session_id, client, { 'if-none-match': etag }), 304);
      await makeFrame(server.store, task, { image: Buffer.from('another') });
      assert.equal(await statusOf(task.session_id, client, { 'if-none-match': etag }), 200);
      await assert.rejects(statusOf(task.session_id, stranger), { code: 'not_found' });
      const { share } = await client.shareSession({ id: task.session_id });
      const guest = await fetch(`${server.baseUrl}${thumbnail?.path}`, {
        headers: { 'x-share-token': share.share_token },
      });
      assert.equal(guest.status, 401);
    });

    it('that shows nothing of a private one', async () => {
      const task = await makeTask(server.store, { owner });
      await makeFrame(server.store, task, { image: Buffer.from('a secret'), isPrivate: true });
      assert.equal((await listed(task.session_id)).thumbnail?.private, true);
      const response = await client.getThumbnail({ id: task.session_id });
      assert.equal(response.headers.get('content-type'), 'image/png');
      assert.ok(!Buffer.from(await response.arrayBuffer()).includes('a secret'));
    });

    it('that is said to be gone where its bytes are', async () => {
      const task = await makeTask(server.store, { owner });
      await makeFrame(server.store, task);
      await assert.rejects(statusOf(task.session_id), { code: 'gone' });
    });
  });

  describe('renaming', () => {
    it('changes the title, and tells everyone who follows, but no guest', async () => {
      const { session } = await client.createSession({ title: 'before' });
      const { share } = await client.shareSession({ id: session.id });
      const { snapshot } = await client.getSession({ id: session.id });
      const guest = createClient({ baseUrl: server.baseUrl, shareToken: share.share_token });
      const next = async (by: Client) => {
        const signal = AbortSignal.timeout(10_000);
        for await (const event of by.followSession({ id: session.id, cursor: snapshot.cursor }, { signal }))
          if (event.type === 'status') return event.session;
        return undefined;
      };
      const heard = [next(client), next(guest)];
      const reply = await client.updateSession({ id: session.id, title: 'after' });
      assert.equal(reply.session.title, 'after');
      assert.equal((await listed(session.id)).title, 'after');
      const [own, others] = await Promise.all(heard);
      assert.equal(own?.title, 'after');
      assert.deepEqual(Object.keys(others ?? {}).sort(), ['browser', 'id', 'last_task_id', 'status']);
    });

    it('to the same title logs nothing, null removes it, and what is no title is refused', async () => {
      const { session } = await client.createSession({ title: 'same' });
      const seqOf = async () =>
        (await plain.query('select last_seq from session_seq where session_id = $1', [session.id])).rows[0].last_seq;
      const before = await seqOf();
      await client.updateSession({ id: session.id, title: 'same' });
      assert.equal(await seqOf(), before);
      await client.updateSession({ id: session.id, title: null });
      assert.equal(Number(await seqOf()), Number(before) + 1);
      assert.equal((await listed(session.id)).title, null);
      for (const body of [{ title: '' }, { title: 'x'.repeat(201) }, {}, { title: 'x', status: 'closed' }])
        await assert.rejects(client.updateSession({ id: session.id, ...body } as never), { code: 'validation_failed' });
      await assert.rejects(stranger.updateSession({ id: session.id, title: 'mine' }), { code: 'not_found' });
    });
  });

  it('a share can be read: since when, until when, by which user, and never its token', async () => {
    const { session } = await client.createSession({});
    assert.equal((await client.getShare({ id: session.id })).share, null);
    const { share } = await client.shareSession({ id: session.id, expires_in_secs: 600 });
    assert.equal(share.share_page_path, share.share_path.replace('/#', '/share#'));
    const read = await client.getShare({ id: session.id });
    assert.equal(read.share?.expires_at, share.expires_at);
    assert.equal(read.share?.shared_by.id, owner.id);
    assert.ok(!JSON.stringify(read).includes('phs_'));
    await assert.rejects(stranger.getShare({ id: session.id }), { code: 'not_found' });
    await plain.query('update shares set expires_at = now() where session_id = $1', [session.id]);
    assert.equal((await client.getShare({ id: session.id })).share, null);
    assert.equal((await fetch(`${server.baseUrl}/share`, { redirect: 'manual' })).status, 200);
  });
});
