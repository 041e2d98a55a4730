import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createLog } from '@pilothouse/process';
import { blobsOf, type Caller, newId, openStore, type StepRow, type Store } from '@pilothouse/store';
import { createTestDatabase, type TestDatabase } from '@pilothouse/store/testing';
import pg from 'pg';
import { Registry } from 'prom-client';
import { until } from '../../../../testkit/until.ts';
import { countRounds, passAll } from '../../testing/rounds.ts';
import { actedReply } from '../../testing/scripted-browsers.ts';
import { createEvidence } from '../ledger/evidence.ts';
import { startRetention } from './old-recordings.ts';
import { createRetentionMetrics } from './retention-metrics.ts';

const log = createLog('agent', 'silent');
const viewport = { width: 1280, height: 720 };
const plenty = 1_000_000_000;

describe('frames', () => {
  let database: TestDatabase;
  let blobDir: string;
  let store: Store;
  let plain: pg.Pool;
  let evidence: ReturnType<typeof createEvidence>;
  before(async () => {
    database = await createTestDatabase();
    blobDir = await mkdtemp(join(tmpdir(), 'pilothouse-blobs-'));
    store = openStore({ url: database.url, blobDir, onError: () => {} });
    plain = new pg.Pool({ connectionString: database.url });
    evidence = createEvidence(store, { fileBytesPerUser: plenty });
  });
  after(async () => {
    await plain?.end();
    await store?.close();
    await database?.close();
    await rm(blobDir, { recursive: true, force: true });
  });

  async function newUser(): Promise<Caller> {
    const username = `u-${newId()}`;
    const given = { username, email: `${username}@example.test`, passwordHash: 'x' };
    const user = await store.transaction((tx) => store.users.create(tx, given));
    assert.ok(user);
    return { id: user.id, role: 'user' };
  }
  async function newSession(owner: Caller) {
    const id = newId();
    const task = await store.change(id, async (tx) => {
      await store.sessions.create(tx, owner, { id, viewport });
      const plan = { steps: [{ action: 'screenshot' }] };
      const given = { id: newId(), sessionId: id, title: 't', prompt: 'p', plan, settings: {}, totalSteps: 1 };
      return store.tasks.create(tx, owner, given);
    });
    /** Ends a step, as an agent does; returns the id of its picture. */
    async function step(bytes = 10): Promise<string> {
      const frameId = newId();
      const blobKey = `${blobsOf(id)}/${frameId}.jpeg`;
      await store.blobs.put(blobKey, Buffer.alloc(bytes));
      const place = { url: 'http://shop.test/', title: 'Shop' };
      const acted = actedReply({
        before: place,
        after: place,
        picture: {
          content_type: 'image/jpeg',
          ...viewport,
          device_scale: 1,
          route: { session: id, page: 'p1', frame: null, ...place },
          private: false,
          epoch: 1,
        },
      });
      // Only the index of the attempt is read.
      const of = { task, attempt: { index: 1 } as StepRow, step: { action: 'screenshot' } as const };
      const picture = { id: frameId, blobKey, byteLen: bytes };
      await store.change(id, (tx, append) => evidence.add(tx, append, of, { acted, picture, file: null }));
      return frameId;
    }
    const frames = async () => {
      const { rows } = await store.recordings.pageOf(id, { kinds: [], limit: 200 });
      return rows.flatMap((row) => ('frame' in row ? row.frame.frame_id : []));
    };
    const blobOf = (frameId: string) => store.blobs.get(`${blobsOf(id)}/${frameId}.jpeg`);
    const bytes = async () =>
      (
        await plain.query(
          `select coalesce(sum(byte_len), 0)::int as bytes from recorded_frames
           where session_id = $1 and retention <> 'leaving'`,
          [id],
        )
      ).rows[0].bytes;
    return { id, task, step, frames, blobOf, bytes };
  }
  const makeOlder = (frameIds: string[], days: number) =>
    plain.query(
      'update recorded_frames set recorded_at = recorded_at - make_interval(days => $2) where frame_id = any($1)',
      [frameIds, days],
    );
  /** Two agents, in small batches. */
  async function whileSwept(
    isDone: () => Promise<boolean>,
    { keepDays = 30, maxBytesPerUser = plenty, filesKeepDays = 30 } = {},
  ) {
    const agents = [countRounds(), countRounds()];
    const settings = { log, keepDays, maxBytesPerUser, filesKeepDays, everyMs: 50, batch: 3 };
    const both = agents.map(({ count }) =>
      startRetention({ store: countingRounds(count), ...settings, metrics: createRetentionMetrics(new Registry()) }),
    );
    await until(isDone, 10_000)
      .then(() => passAll(agents, 2))
      .finally(() => Promise.all(both.map((one) => one.close())));
  }
  /** A round begins with one or two looks. */
  const countingRounds = (count: () => void): Store => ({
    ...store,
    retention: {
      ...store.retention,
      look: async (limits) => {
        count();
        return store.retention.look(limits);
      },
    },
  });
  const protectedOf = async (owner: Caller) =>
    (
      await plain.query(
        `select count(*)::int as count from recorded_frames where owner_id = $1 and retention = 'last'`,
        [owner.id],
      )
    ).rows[0].count;
  /** As the server does. */
  const close = (id: string) =>
    store.change(id, async (tx) => {
      await store.sessions.move(tx, id, 'close');
      await store.retention.releaseLast(tx, id);
    });
  const rowsLeft = async (id: string) =>
    (await plain.query('select count(*)::int as count from recorded_frames where session_id = $1', [id])).rows[0].count;

  it('are deleted with files, which go when they are too old and their tasks are over', async () => {
    const session = await newSession(await newUser());
    const files = await Promise.all(
      Array.from({ length: 8 }, async (_, i) => {
        const id = newId();
        const file = { id, task_id: session.task.id, name: `${i}`, content_type: 'text/plain', byte_len: 10 };
        const blob_key = `${blobsOf(session.id)}/files/${id}`;
        await store.blobs.put(blob_key, Buffer.alloc(10));
        await store.change(session.id, (tx) => store.files.add(tx, { ...file, blob_key }, plenty));
        return { id, blob_key };
      }),
    );
    const [recent, ...old] = files;
    assert.ok(recent);
    await plain.query(`update files set created_at = created_at - interval '31 days' where id = any($1)`, [
      old.map(({ id }) => id),
    ]);
    await plain.query('update tasks set finished_at = now() where id = $1', [session.task.id]);
    const gone = async () =>
      (await store.files.listOf(session.task.id)).filter(({ retention }) => retention === 'gone');
    await whileSwept(async () => (await gone()).length === old.length);
    for (const { blob_key } of old) assert.equal(await store.blobs.get(blob_key), undefined);
    assert.ok(await store.blobs.get(recent.blob_key));
    assert.equal((await gone()).length, old.length);
  });

  it('are deleted when they are too old, and no row points to them any more', async () => {
    const session = await newSession(await newUser());
    const old: string[] = [];
    for (let i = 0; i < 8; i++) old.push(await session.step());
    const recent = [await session.step(), await session.step()];
    await makeOlder(old, 31);
    await makeOlder(recent, 29);
    await whileSwept(async () => (await rowsLeft(session.id)) === 2);
    assert.deepEqual(await session.frames(), recent);
    assert.equal(await session.bytes(), 20);
    for (const frameId of old) assert.equal(await session.blobOf(frameId), undefined);
    for (const frameId of recent) assert.ok(await session.blobOf(frameId));
    const { rows: observations } = await store.observations.listOf(session.task.id, { limit: 200 });
    assert.deepEqual(
      observations.map(({ id, blob_key, content_type }) => [id, blob_key !== null, content_type]),
      [...old.map((id) => [id, false, null]), ...recent.map((id) => [id, true, 'image/jpeg'])],
    );
    const events = await store.events.after(session.id, 0, { limit: 500 });
    const told = events.filter(({ kind }) => kind === 'observation').map(({ data }) => data.observation);
    const paths = (told as { artifact: { path: string } | null }[]).map(({ artifact }) => artifact?.path ?? null);
    assert.deepEqual(
      paths.map((path) => path !== null),
      [...old.map(() => false), ...recent.map(() => true)],
    );
    assert.equal((await store.observations.lastPictureOf(session.task.id))?.id, recent[1]);
  });

  it('stay where a session shows them as its last, until a newer one takes their place', async () => {
    const session = await newSession(await newUser());
    const [first, last] = [await session.step(), await session.step()];
    await makeOlder([first, last], 365);
    await whileSwept(async () => (await rowsLeft(session.id)) === 1);
    assert.deepEqual(await session.frames(), [last]);
    const kept = await store.frames.of(session.id);
    assert.equal(kept?.frame_id, last);
    assert.ok(await store.blobs.get(kept?.blob_key ?? ''));
    const newer = await session.step();
    await whileSwept(async () => (await session.frames()).length === 1);
    assert.deepEqual(await session.frames(), [newer]);
    assert.equal(await session.blobOf(last), undefined);
  });

  it('of a user beyond the quota go oldest first, and those of other users stay', async () => {
    const [greedy, modest] = [await newUser(), await newUser()];
    const [one, two, other] = [await newSession(greedy), await newSession(greedy), await newSession(modest)];
    const inOrder: string[] = [];
    for (let i = 0; i < 6; i++) {
      inOrder.push(await one.step(1000), await two.step(1000));
      await other.step(1000);
    }
    await whileSwept(async () => (await one.bytes()) + (await two.bytes()) <= 6500, { maxBytesPerUser: 6500 });
    assert.deepEqual(
      inOrder.filter((_, index) => index >= 6),
      [...(await one.frames()), ...(await two.frames())].sort((a, b) => inOrder.indexOf(a) - inOrder.indexOf(b)),
    );
    assert.equal((await other.frames()).length, 6);
    const left = await Promise.all(
      inOrder.map(async (id) => Boolean((await one.blobOf(id)) ?? (await two.blobOf(id)))),
    );
    assert.equal(left.filter(Boolean).length, 6);
  });

  it('that are the last of their sessions stay, however small the quota is', async () => {
    const owner = await newUser();
    const [one, two] = [await newSession(owner), await newSession(owner)];
    await one.step(1000);
    const lasts = [await one.step(1000), await two.step(1000)];
    await whileSwept(async () => (await one.frames()).length === 1, { maxBytesPerUser: 10 });
    assert.deepEqual([...(await one.frames()), ...(await two.frames())], lasts);
  });

  it('that are the last of closed sessions go as every other, and take no room from newer ones', async () => {
    const owner = await newUser();
    const ended: Awaited<ReturnType<typeof newSession>>[] = [];
    for (let i = 0; i < 5; i++) {
      const session = await newSession(owner);
      await session.step(50);
      ended.push(session);
    }
    // Considered while they were open, so they were protected as the last of their sessions.
    await makeOlder((await Promise.all(ended.map(({ frames }) => frames()))).flat(), 365);
    await whileSwept(async () => (await protectedOf(owner)) === 5);
    for (const { id } of ended) await close(id);
    const running = await newSession(owner);
    const pictures = [];
    for (let i = 0; i < 4; i++) pictures.push(await running.step(50));
    await whileSwept(async () => (await ended[4]?.bytes()) === 0, { keepDays: 3650, maxBytesPerUser: 200 });
    assert.deepEqual(await running.frames(), pictures);
    const [first] = ended;
    assert.ok(first);
    assert.equal(await store.frames.of(first.id), undefined, 'nothing points to the removed picture');
  });

  it('of open sessions that are protected do not count, so the other pictures of their user stay', async () => {
    const owner = await newUser();
    const idle = [];
    for (let i = 0; i < 5; i++) {
      const session = await newSession(owner);
      idle.push(await session.step(50));
    }
    await makeOlder(idle, 20);
    const running = await newSession(owner);
    const pictures = [];
    for (let i = 0; i < 4; i++) pictures.push(await running.step(50));
    await whileSwept(async () => (await protectedOf(owner)) === 5, { maxBytesPerUser: 200 });
    assert.deepEqual(await running.frames(), pictures);
  });

  it('are all gone after one round, however many are due, and agents share them', async () => {
    const owner = await newUser();
    await plain.query(
      `with made as (
         insert into sessions (id, owner_id, viewport_width, viewport_height)
         select gen_random_uuid(), $1, 8, 6 from generate_series(1, 60) returning id
       )
       insert into recorded_frames (session_id, seq, frame_id, owner_id, recorded_at, content_type, width, height, route,
         byte_len)
       select id, 1, gen_random_uuid(), $1, now() - interval '40 days' + n * interval '1 s', 'image/jpeg', 8, 6, '{}', 1
       from made, generate_series(1, 100) n`,
      [owner.id],
    );
    const left = async () =>
      (await plain.query('select count(*)::int as count from recorded_frames where owner_id = $1', [owner.id])).rows[0]
        .count;
    const agents = Array.from({ length: 2 }, () => {
      const metrics = new Registry();
      const limits = { keepDays: 30, maxBytesPerUser: plenty, filesKeepDays: 30 };
      // Longer than the test: what is gone in time was gone after one round.
      const retention = startRetention({
        store,
        log,
        metrics: createRetentionMetrics(metrics),
        ...limits,
        everyMs: 600_000,
        batch: 100,
      });
      return { metrics, retention };
    });
    try {
      await until(async () => (await left()) === 0, 20_000);
    } finally {
      await Promise.all(agents.map(({ retention }) => retention.close()));
    }
    for (const { metrics } of agents) {
      const text = await metrics.metrics();
      assert.match(text, /pilothouse_retention_overdue_seconds\{what="pictures"\} 0\n/);
      const count = /removed_total\{what="pictures"\} (\d+)/.exec(text)?.[1];
      assert.ok(Number(count) > 0 && Number(count) < 6000, `one agent removed ${count}`);
    }
  });

  it('count for the new owner when their session gets one', async () => {
    const [owner, heir] = [await newUser(), await newUser()];
    const session = await newSession(owner);
    for (let i = 0; i < 3; i++) await session.step(1000);
    await plain.query('update sessions set owner_id = $2 where id = $1', [session.id, heir.id]);
    const { rows } = await plain.query('select distinct owner_id from recorded_frames where session_id = $1', [
      session.id,
    ]);
    assert.deepEqual(rows, [{ owner_id: heir.id }]);
  });

  it('are hidden before their bytes are deleted, and deleted although an agent died in between', async () => {
    const session = await newSession(await newUser());
    const [first = '', last] = [await session.step(), await session.step()];
    await store.change(session.id, (tx) => store.retention.leave(tx, [first]));
    assert.deepEqual(await session.frames(), [last]);
    assert.equal(await store.recordings.frameOf(session.id, first), undefined);
    assert.ok(await session.blobOf(first), 'its bytes are still there');
    await whileSwept(async () => (await rowsLeft(session.id)) === 1);
    assert.equal(await session.blobOf(first), undefined);
  });
});
