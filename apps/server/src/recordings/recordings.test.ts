import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { RecordingItem } from '@pilothouse/contract';
import { type Client, createClient } from '@pilothouse/sdk';
import { blobsOf, type Store, type TaskRow } from '@pilothouse/store';
import pg from 'pg';
import { makeFrame, makeOverlay } from '../../testing/recording.ts';
import { startTestServer, type TestServer } from '../../testing/server.ts';
import { makeTask } from '../../testing/tasks.ts';
import { registerUser } from '../../testing/users.ts';

const image = Buffer.from('a picture');

describe('the recording of a session', () => {
  let server: TestServer;
  let store: Store;
  let plain: pg.Pool;
  let owner: { id: string; token: string; client: Client };
  before(async () => {
    server = await startTestServer({ isAuthDisabled: false });
    store = server.store;
    plain = new pg.Pool({ connectionString: server.databaseUrl });
    owner = await newUser();
  });
  after(async () => {
    await plain?.end();
    await server?.close();
  });

  const newUser = () => registerUser(server);
  const newTask = () => makeTask(store, { owner: { id: owner.id, role: 'user' } });
  async function allOf(
    { session_id }: Pick<TaskRow, 'session_id'>,
    query: { from?: string; to?: string; limit?: number } = {},
  ) {
    const items: RecordingItem[] = [];
    let cursor: string | undefined;
    do {
      const page = await owner.client.getRecording({ id: session_id, cursor, ...query });
      items.push(...page.items);
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined);
    return items;
  }
  const idOf = (item: RecordingItem): string => {
    if (item.type === 'frame') return item.frame.frame_id;
    return item.type === 'overlay' ? item.overlay.overlay_id : item.event.type;
  };

  it('shows frames, overlays and events in the order in which they were kept', async () => {
    const task = await newTask();
    const frame = await makeFrame(store, task, { image, stepId: 'step-1' });
    const overlay = await makeOverlay(store, task);
    // An event of a kind that the view of a session does not show.
    await store.change(task.session_id, (_tx, append) =>
      store.logs.append(append, { taskId: task.id, level: 'info', message: 'x' }),
    );
    const between = await makeFrame(store, task, { image });
    const items = await allOf(task);
    assert.deepEqual(items.map(idOf), ['task', frame, overlay, between]);
    assert.deepEqual(
      items.map(({ type }) => type),
      ['event', 'frame', 'overlay', 'frame'],
    );
    const [told, first] = items;
    assert.ok(first?.type === 'frame' && told?.type === 'event' && told.event.type === 'task');
    assert.equal(told.event.status.status, 'pending');
    const { recorded_at, ...shown } = first.frame;
    assert.equal(recorded_at, first.recorded_at);
    assert.deepEqual(shown, {
      frame_id: frame,
      task_id: task.id,
      step_id: 'step-1',
      content_type: 'image/jpeg',
      width: 1280,
      height: 720,
      route: { session: task.session_id, page: 'p1', frame: null, url: 'http://shop.test/', title: 'Shop' },
      private: false,
      path: `/api/sessions/${task.session_id}/recording/frames/${frame}`,
    });
  });

  it('keeps that order if everything happened at the same time, on pages of any size', async () => {
    const task = await newTask();
    const expected = ['task'];
    for (let i = 0; i < 12; i++)
      expected.push(i % 4 === 0 ? await makeOverlay(store, task) : await makeFrame(store, task));
    const moment = '2026-01-01T00:00:00.000Z';
    for (const table of ['events', 'recorded_frames'])
      await plain.query(`update ${table} set recorded_at = $2 where session_id = $1`, [task.session_id, moment]);
    for (const limit of [1, 2, 3, 5, 200]) assert.deepEqual((await allOf(task, { limit })).map(idOf), expected);
    assert.equal((await allOf(task, { from: moment })).length, expected.length);
    assert.equal((await allOf(task, { to: moment })).length, 0);
  });

  it('begins and ends at any time, also between two events', async () => {
    const task = await newTask();
    for (let i = 0; i < 9; i++) {
      await makeOverlay(store, task);
      for (let k = 0; k < i % 3; k++) await makeFrame(store, task);
    }
    // A second for each event, and a hundred milliseconds for each frame behind it.
    const at = (part: string) => `timestamptz '2026-01-01Z' + seq * interval '1 s' + ${part} * interval '100 ms'`;
    await plain.query(`update events set recorded_at = ${at('0')} where session_id = $1`, [task.session_id]);
    await plain.query(
      `update recorded_frames f set recorded_at = ${at('n')}
       from (select id, row_number() over (partition by seq order by id) as n from recorded_frames where session_id = $1) p
       where f.session_id = $1 and f.id = p.id`,
      [task.session_id],
    );
    const all = await allOf(task);
    assert.equal(all.length, 1 + 9 + 9);
    const moments = [...new Set(all.map(({ recorded_at }) => recorded_at))];
    const around = ['1999-01-01T00:00:00Z', ...moments, '2026-01-01T00:00:03.05Z', '2027-01-01T00:00:00.123456Z'];
    for (const from of around) {
      for (const to of around) {
        const expected = all.filter(
          ({ recorded_at: one }) => Date.parse(one) >= Date.parse(from) && Date.parse(one) < Date.parse(to),
        );
        assert.deepEqual(await allOf(task, { from, to, limit: 7 }), expected, `${from} to ${to}`);
      }
      const since = all.filter(({ recorded_at: one }) => Date.parse(one) >= Date.parse(from));
      assert.deepEqual(await allOf(task, { from, limit: 7 }), since, from);
    }
  });

  it('goes on between the steps if the session was made so', async () => {
    const { client } = owner;
    assert.equal((await client.createSession()).session.recording, false);
    const { session } = await client.createSession({ record: true });
    assert.equal(session.recording, true);
    assert.equal((await client.getSession({ id: session.id })).snapshot.session.recording, true);
    const { sessions } = await client.listSessions({ limit: 200 });
    assert.deepEqual(
      sessions.filter(({ recording }) => recording).map(({ id }) => id),
      [session.id],
    );
    const { session_id } = await client.sendChat({ prompt: 'x', steps: [{ action: 'screenshot' }] });
    assert.equal((await client.getSession({ id: session_id })).snapshot.session.recording, false);
  });

  it('refuses malformed times and cursors', async () => {
    const { session_id: id } = await newTask();
    for (const query of [{ from: 'yesterday' }, { to: '2026-02-30T00:00:00Z' }, { cursor: 'x' }, { limit: 0 }])
      await assert.rejects(owner.client.getRecording({ id, ...query }), { code: 'validation_failed' });
  });

  it('serves the pictures at their paths, and lets clients cache them', async () => {
    const task = await newTask();
    const frame_id = await makeFrame(store, task, { image });
    const response = await owner.client.getRecordedFrame({ id: task.session_id, frame_id });
    assert.equal(response.headers.get('content-type'), 'image/jpeg');
    assert.equal(response.headers.get('cache-control'), 'no-store');
    assert.deepEqual(Buffer.from(await response.arrayBuffer()), image);
    const headers = { authorization: `Bearer ${owner.token}`, 'if-none-match': response.headers.get('etag') ?? '' };
    const again = await fetch(`${server.baseUrl}/api/sessions/${task.session_id}/recording/frames/${frame_id}`, {
      headers,
    });
    assert.deepEqual([again.status, await again.text()], [304, '']);
  });

  it('lists a private frame, and shows it to no caller', async () => {
    const task = await newTask();
    const frame_id = await makeFrame(store, task, { image, isPrivate: true });
    const shown = (await allOf(task)).at(-1);
    assert.ok(shown?.type === 'frame');
    assert.deepEqual([shown.frame.frame_id, shown.frame.private, shown.frame.path], [frame_id, true, null]);
    const id = task.session_id;
    await assert.rejects(owner.client.getRecordedFrame({ id, frame_id }), { code: 'not_found' });
    const admin = await newUser();
    await store.users.setRole(admin.id, 'admin');
    assert.equal((await admin.client.getRecording({ id })).items.length, 2);
    await assert.rejects(admin.client.getRecordedFrame({ id, frame_id }), { code: 'not_found' });
  });

  it('is not for other users, and not for guests of a share', async () => {
    const task = await newTask();
    const id = task.session_id;
    const frame_id = await makeFrame(store, task, { image });
    const stranger = await newUser();
    await assert.rejects(stranger.client.getRecording({ id }), { code: 'not_found', status: 404 });
    await assert.rejects(stranger.client.getRecordedFrame({ id, frame_id }), { code: 'not_found', status: 404 });
    const { share } = await owner.client.shareSession({ id });
    const headers = { 'x-share-token': share.share_token };
    const guest = createClient({ baseUrl: server.baseUrl, shareToken: share.share_token });
    assert.equal((await guest.getSession({ id })).snapshot.session.id, id, 'the share is good');
    await assert.rejects(guest.getRecording({ id }, { headers }), { code: 'token_missing', status: 401 });
    await assert.rejects(guest.getRecordedFrame({ id, frame_id }, { headers }), { code: 'token_missing', status: 401 });
  });

  it('is purged with the session, pictures included', async () => {
    const { session_id: id, task_id } = await owner.client.sendChat({ prompt: 'x', steps: [{ action: 'screenshot' }] });
    const task = { id: task_id, session_id: id };
    const frame_id = await makeFrame(store, task, { image });
    const key = `${blobsOf(id)}/${frame_id}.jpeg`;
    assert.ok(await store.blobs.get(key));
    await owner.client.deleteSession({ id });
    assert.equal((await allOf(task)).filter(({ type }) => type === 'frame').length, 1, 'closing keeps it');
    await owner.client.deleteSession({ id, purge: true });
    assert.deepEqual((await allOf(task)).map(idOf), ['task', 'status'], 'the end of the task and of the session');
    await assert.rejects(owner.client.getRecordedFrame({ id, frame_id }), { code: 'not_found' });
    assert.equal(await store.blobs.get(key), undefined);
    const left = await plain.query('select count(*)::int as rows from recorded_frames where session_id = $1', [id]);
    assert.deepEqual(left.rows, [{ rows: 0 }]);
    const now = new Date().toISOString();
    assert.deepEqual(
      (await allOf(task, { to: now })).map(idOf),
      ['task', 'status'],
      'gaps in the log do not mislead it',
    );
  });
});
