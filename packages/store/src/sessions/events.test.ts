import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { v7 } from 'uuid';
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts';
import { localUser, openStore, type Store } from '../index.ts';

const viewport = { width: 1280, height: 720 };

describe('the event log', () => {
  let database: TestDatabase;
  let store: Store;
  let plain: pg.Pool;

  before(async () => {
    database = await createTestDatabase();
    store = openStore({ url: database.url, blobDir: '/nonexistent', poolSize: 12, onError: () => {} });
    plain = new pg.Pool({ connectionString: database.url });
    await store.users.ensureLocal();
  });
  after(async () => {
    await plain.end();
    await store.close();
    await database.close();
  });

  const newSession = async () =>
    (await store.transaction((tx) => store.sessions.create(tx, localUser, { viewport }))).id;
  const append = (sessionId: string, data: object, dedupKey?: string) =>
    store.change(sessionId, (_tx, add) => add({ kind: 'log', data: { ...data }, dedupKey }));

  it('numbers the events of a session from one, without gaps, also with appends at the same time', async () => {
    const [one, other] = [await newSession(), await newSession()];
    // As many at a time as the pool has connections.
    const many = async () => {
      for (let i = 0; i < 40; i++) await append(i % 2 ? one : other, { i });
    };
    await Promise.all(Array.from({ length: 10 }, many));
    for (const session of [one, other]) {
      const events = await store.events.after(session, 0, { limit: 1000 });
      assert.deepEqual(
        events.map(({ seq }) => seq),
        Array.from({ length: 200 }, (_, i) => i + 1),
      );
      const times = events.map(({ recorded_at }) => recorded_at.getTime());
      assert.deepEqual(
        times,
        times.toSorted((a, b) => a - b),
        'time never runs backwards',
      );
    }
  });

  it('leaves no hole where a transaction failed after its append', async () => {
    const session = await newSession();
    await append(session, { n: 1 });
    const failing = store.change(session, async (_tx, add) => {
      await add({ kind: 'log', data: { n: 'lost' } });
      await add.flush();
      throw new Error('changed my mind');
    });
    await assert.rejects(failing, /changed my mind/);
    await append(session, { n: 2 });
    const events = await store.events.after(session, 0, { limit: 10 });
    assert.deepEqual(
      events.map(({ seq, data }) => [seq, data.n]),
      [
        [1, 1],
        [2, 2],
      ],
    );
  });

  it('logs an event once that is appended twice under one key, also at the same time', async () => {
    const session = await newSession();
    const answers = await Promise.all(Array.from({ length: 20 }, () => append(session, {}, 'step-1 done')));
    assert.equal(answers.filter(({ isNew }) => isNew).length, 1);
    assert.deepEqual(new Set(answers.map(({ seq }) => seq)), new Set([1]));
    assert.equal((await append(session, {}, 'step-2 done')).seq, 2);
  });

  it('numbers what one change appends in its order, with and without keys, and also where it makes the session', async () => {
    const session = v7();
    const told: number[][] = [];
    const listening = openStore({
      url: database.url,
      blobDir: '/nonexistent',
      onError: () => {},
      onChanged: (_id, seq, events) => told.push([seq, ...events.map((event) => event.seq)]),
    });
    try {
      const numbers = await listening.change(session, async (tx, add) => {
        await listening.sessions.create(tx, localUser, { id: session, viewport });
        const appended = [
          await add({ kind: 'log', data: { n: 1 } }),
          await add({ kind: 'log', data: { n: 2 }, dedupKey: 'once' }),
          ...(await Promise.all([3, 4].map((n) => add({ kind: 'log', data: { n } })))),
          await add({ kind: 'log', data: { n: 'not again' }, dedupKey: 'once' }),
          await add({ kind: 'log', data: { n: 5 } }),
        ];
        return appended.map(({ seq }) => seq);
      });
      assert.deepEqual(numbers, [1, 2, 3, 4, 2, 5]);
      const events = await listening.events.after(session, 0, { limit: 10 });
      assert.deepEqual(
        events.map(({ seq, data }) => [seq, data.n]),
        [1, 2, 3, 4, 5].map((n) => [n, n]),
      );
      assert.deepEqual(told, [[5, 1, 2, 3, 4, 5]]);
      await append(session, { n: 6 });
      assert.deepEqual((await listening.events.last(session, 1))[0]?.seq, 6);
    } finally {
      await listening.close();
    }
  });

  it('reads on from a number, and only one task where it is named', async () => {
    const session = await newSession();
    const task = v7();
    await store.change(session, async (_tx, add) => {
      for (const taskId of [task, null, task, v7()]) await add({ taskId, kind: 'status', data: {} });
    });
    const seqs = async (seq: number, taskId?: string) =>
      (await store.events.after(session, seq, { limit: 10, taskId })).map((event) => event.seq);
    assert.deepEqual(await seqs(1), [2, 3, 4]);
    assert.deepEqual(await seqs(0, task), [1, 3]);
    assert.deepEqual(
      (await store.events.last(session, 2)).map((event) => event.seq),
      [3, 4],
    );
  });

  it('refuses an event for a session that is not there', async () => {
    await assert.rejects(append(v7(), {}), /has no log/);
  });

  it('lays each session in the partition of the day its id was born', async () => {
    const dayMs = 24 * 60 * 60 * 1000;
    const midnight = Math.floor(Date.now() / dayMs) * dayMs;
    const moments = [midnight - 1, midnight, midnight + 1, midnight + dayMs - 1, midnight + 3 * dayMs];
    for (const msecs of moments) {
      const id = v7({ msecs });
      await plain.query(
        `insert into events (session_id, seq, kind, data, recorded_at) values ($1, 1, 'log', '{}', now())`,
        [id],
      );
      const { rows } = await plain.query('select tableoid::regclass::text as part from events where session_id = $1', [
        id,
      ]);
      const day = new Date(msecs).toISOString().slice(0, 10).replaceAll('-', '');
      assert.equal(rows[0].part, `events_${day}`);
    }
  });

  it('catches ids of a day without a partition, and moves them out when the day gets one', async () => {
    const id = v7({ msecs: Date.UTC(2200, 0, 1, 12) });
    await plain.query(
      `insert into events (session_id, seq, kind, data, recorded_at) values ($1, 1, 'log', '{"kept":true}', now())`,
      [id],
    );
    const where = async () =>
      (await plain.query('select tableoid::regclass::text as part, data from events where session_id = $1', [id])).rows;
    assert.deepEqual(await where(), [{ part: 'events_default', data: { kept: true } }]);
    const make = () => plain.query(`select ensure_event_partitions('2200-01-01', '2200-01-02') as made`);
    const made = await Promise.all([make(), make(), make()]);
    assert.deepEqual(made.map(({ rows }) => rows[0].made).sort(), [0, 0, 2], 'asked three times at once, made once');
    assert.deepEqual(await where(), [{ part: 'events_22000101', data: { kept: true } }]);
  });

  it('has the coming thirty days ready', async () => {
    assert.equal(await store.events.ensurePartitions(30), 0);
  });
});
