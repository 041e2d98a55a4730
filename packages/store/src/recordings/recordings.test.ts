import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../../testing/database.ts';
import { explain, type SentQuery, watchQueries } from '../../testing/queries.ts';
import { localUser, newId, openStore, type Store } from '../index.ts';

const viewport = { width: 1280, height: 720 };
const kinds = ['status', 'overlay'];
const many = 20_000;

describe('a recording', () => {
  let database: TestDatabase;
  let store: Store;
  let sessionId: string;
  before(async () => {
    database = await createTestDatabase();
    store = openStore({ url: database.url, blobDir: '/nonexistent', onError: () => {} });
    await store.users.ensureLocal();
    sessionId = await newSession();
    const plain = new pg.Client({ connectionString: database.url });
    await plain.connect();
    // An event a second, one in four of them shown, and a frame behind each.
    for (const id of [sessionId, await newSession()]) {
      await plain.query(
        `insert into events (session_id, seq, kind, data, recorded_at)
         select $1, n, case n % 4 when 0 then 'overlay' else 'log' end, '{}', timestamptz '2026-01-01Z' + n * interval '1 s'
         from generate_series(1, ${many}) n`,
        [id],
      );
      await plain.query(
        `insert into recorded_frames (session_id, seq, frame_id, owner_id, recorded_at, content_type, width, height, route,
           blob_key, byte_len)
         select $1, n, gen_random_uuid(), $2, timestamptz '2026-01-01Z' + n * interval '1 s', 'image/jpeg', 1, 1, '{}', 'x', 1
         from generate_series(1, ${many}) n`,
        [id, localUser.id],
      );
      await plain.query('update session_seq set last_seq = $2 where session_id = $1', [id, many]);
    }
    await plain.query('vacuum analyze events');
    await plain.query('vacuum analyze recorded_frames');
    await plain.end();
  });
  after(async () => {
    await store?.close();
    await database?.close();
  });

  const newSession = async () =>
    (await store.transaction((tx) => store.sessions.create(tx, localUser, { viewport }))).id;
  const timeOf = (n: number) => new Date(Date.UTC(2026, 0, 1) + n * 1000).toISOString();

  async function sentBy(call: () => Promise<unknown>): Promise<SentQuery[]> {
    const watch = watchQueries();
    try {
      await call();
      return watch.sent;
    } finally {
      watch.close();
    }
  }

  it('is read along two indexes and no further than a page, wherever it begins and ends', async () => {
    const middle = await store.recordings.pageOf(sessionId, { kinds, limit: 50, from: timeOf(many / 2) });
    assert.ok(middle.nextCursor);
    const cases = [
      { limit: 50 },
      { limit: 50, from: timeOf(many - 100) },
      { limit: 50, from: timeOf(many / 2), to: timeOf(many / 2 + 20) },
      { limit: 50, to: timeOf(3) },
      { limit: 50, cursor: middle.nextCursor, to: timeOf(many / 2 + 20) },
    ];
    for (const asked of cases) {
      const sent = await sentBy(() => store.recordings.pageOf(sessionId, { kinds, ...asked }));
      assert.ok(sent.length <= 3, `${sent.length} queries`);
      for (const query of sent) {
        for (const mode of ['custom', 'generic'] as const) {
          const { nodes, pagesTouched } = await explain(database.url, query, mode);
          const said = `${JSON.stringify(asked)}, ${mode}: ${pagesTouched} pages`;
          assert.deepEqual(
            nodes.filter((node) => node['Node Type'] === 'Seq Scan'),
            [],
            said,
          );
          assert.ok(pagesTouched < 120, said);
        }
      }
    }
  });

  it('finds the moment at which it is to begin by halving the log', async () => {
    for (const n of [1, 2, 3, 777, many - 1, many]) {
      const { rows } = await store.recordings.pageOf(sessionId, {
        kinds: ['log', 'overlay'],
        limit: 1,
        from: timeOf(n),
      });
      assert.deepEqual(
        rows.map(({ seq }) => seq),
        [n],
      );
    }
    assert.deepEqual((await store.recordings.pageOf(sessionId, { kinds, limit: 1, from: timeOf(many + 1) })).rows, []);
    const { rows } = await store.recordings.pageOf(sessionId, { kinds, limit: 200, from: timeOf(6), to: timeOf(9) });
    assert.deepEqual(
      rows.map((row) => ('frame' in row ? `frame ${row.seq}` : `event ${row.seq}`)),
      ['frame 6', 'frame 7', 'event 8', 'frame 8'],
    );
  });

  it('has its oldest frames found along indexes, however many are kept', async () => {
    const sent = await sentBy(async () => {
      assert.equal((await store.retention.leaveAged(30, 50)).passed, 50);
      assert.equal(await store.retention.removeLeaving(50, async () => {}), 50);
    });
    const indexes = ['recorded_frames_by_age', 'recorded_frames_leaving'];
    const finding = sent.filter(({ text }) => text.includes('skip locked'));
    assert.equal(finding.length, indexes.length);
    for (const [index, query] of finding.entries()) {
      const { nodes, pagesTouched } = await explain(database.url, query, 'generic');
      assert.ok(
        nodes.some((node) => node['Index Name'] === indexes[index]),
        JSON.stringify(nodes),
      );
      assert.ok(pagesTouched < 400, `${pagesTouched} pages`);
    }
  });

  it('includes pictures from before there were recordings', async () => {
    const before = await createEmptyDatabase();
    const client = new pg.Client({ connectionString: before.url });
    await client.connect();
    try {
      const folder = join(import.meta.dirname, '../db/migrations');
      const files = (await readdir(folder)).sort();
      const textOf = (file: string) => readFile(join(folder, file), 'utf8');
      const recording = files.find((file) => file.startsWith('0011')) ?? '';
      for (const file of files.slice(0, files.indexOf(recording))) await client.query(await textOf(file));
      const [user, session, task, first, second, file] = Array.from({ length: 6 }, newId);
      await client.query(`insert into users (id, username, email) values ($1, 'ada', 'ada@example.test')`, [user]);
      await client.query(
        'insert into sessions (id, owner_id, viewport_width, viewport_height) values ($1, $2, 1280, 720)',
        [session, user],
      );
      await client.query('insert into session_seq (session_id, last_seq) values ($1, 9)', [session]);
      await client.query(
        `insert into tasks (id, session_id, created_by, owner_id, title, prompt, plan, settings, first_seq)
         values ($1, $2, $3, $3, 't', 'p', '{}', '{}', 1)`,
        [task, session, user],
      );
      await client.query(
        `insert into observations (id, task_id, step_id, seq, recorded_at, kind, url, title, blob_key, content_type, byte_len,
           width, height, file_id)
         values ($2, $1, 'step-1', 3, now(), 'screenshot', 'http://shop.test/', 'Shop', 'a', 'image/jpeg', 100, 8, 6, null),
           ($3, $1, 'step-2', 5, now(), 'screenshot', 'http://shop.test/', 'Shop', 'b', 'image/jpeg', 11, 8, 6, null),
           ($4, $1, 'step-3', 7, now(), 'download', null, null, 'c', 'image/png', 1000, null, null, $4)`,
        [task, first, second, file],
      );
      await client.query(
        `insert into frames (session_id, frame_id, seq, recorded_at, content_type, width, height, device_scale, route, private,
           blob_key)
         values ($1, $2, 5, now(), 'image/jpeg', 8, 6, 1, '{"page": "p1"}', true, 'b')`,
        [session, second],
      );
      await client.query(await textOf(recording));
      const { rows } = await client.query(
        'select frame_id, seq::int, owner_id, step_id, route, private, blob_key from recorded_frames order by id',
      );
      const route = { session, page: null, frame: null, url: 'http://shop.test/', title: 'Shop' };
      const of = { owner_id: user };
      assert.deepEqual(rows, [
        { ...of, frame_id: first, seq: 3, step_id: 'step-1', route, private: false, blob_key: 'a' },
        { ...of, frame_id: second, seq: 5, step_id: 'step-2', route: { page: 'p1' }, private: true, blob_key: 'b' },
      ]);
      assert.deepEqual((await client.query('select frame_bytes::int from session_seq')).rows, [{ frame_bytes: 111 }]);
    } finally {
      await client.end();
      await before.close();
    }
  });
});
