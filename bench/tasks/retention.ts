import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { blobsOf, localUser, newId, openStore, type Store } from '@pilothouse/store';
import { createTestDatabase } from '@pilothouse/store/testing';
import pg from 'pg';
import { startRemovals } from '../../apps/agent/testing/removals.ts';
import { inParallel } from '../../packages/store/src/blobs/in-parallel.ts';
import { withServices } from '../../testkit/stack/with-services.ts';

export type RetentionSize = {
  events: number;
  pictures: number;
  agents?: number;
  quietMs?: number;
  sessionsPerDay?: number;
};

const viewport = { width: 8, height: 6 };
const days = 10;
const limitMs = 3_600_000;

/**
 * How long it takes until everything overdue is gone: events of old partitions, and observations with their pictures and
 * blobs. And how long appending an event takes meanwhile, beside how long it takes alone.
 */
export const measureRetention = (size: RetentionSize) =>
  withServices(`bench-retention-${process.pid}`, async (services) => {
    await services.start('postgres');
    process.env.TEST_DATABASE_URL = services.adminDatabaseUrl();
    const database = await createTestDatabase();
    const blobDir = await mkdtemp(join(tmpdir(), 'pilothouse-bench-'));
    const store = openStore({ url: database.url, blobDir, onError: () => {} });
    const plain = new pg.Pool({ connectionString: database.url, max: 2 });
    try {
      return await measure({ store, plain, blobDir }, size);
    } finally {
      await plain.end();
      await store.close();
      await database.close();
      await rm(blobDir, { recursive: true, force: true });
    }
  });

type Stored = { store: Store; plain: pg.Pool; blobDir: string };
async function measure(
  { store, plain, blobDir }: Stored,
  { events, pictures, agents = 2, quietMs = 10_000, sessionsPerDay = 20 }: RetentionSize,
) {
  await store.users.ensureLocal();
  const live = (await store.transaction((tx) => store.sessions.create(tx, localUser, { viewport }))).id;
  await seed({ store, plain, blobDir }, { events, pictures, sessionsPerDay });
  const alone = await appendWhile(store, live, () => sleep(quietMs));
  const begun = performance.now();
  const gone = { events_ms: 0, pictures_ms: 0 };
  const beside = await appendWhile(store, live, async () => {
    const stops = Array.from({ length: agents }, () => startRemovals(store));
    try {
      for (const end = begun + limitMs; performance.now() < end; await sleep(50)) {
        const left = await leftOf(plain);
        const ms = Math.round(performance.now() - begun);
        if (left.partitions === 0) gone.events_ms ||= ms;
        if (left.pictures === 0 && left.observations === 0) gone.pictures_ms ||= ms;
        if (gone.events_ms && gone.pictures_ms) break;
      }
    } finally {
      await Promise.all(stops.map((stop) => stop()));
    }
  });
  return {
    overdue: { events, pictures, agents },
    gone_after: gone,
    pictures_per_second: Math.round((pictures * 1000) / Math.max(1, gone.pictures_ms)),
    append_ms: { alone: timesOf(alone), beside: timesOf(beside) },
    left: await leftOf(plain),
  };
}

type Overdue = { events: number; pictures: number; sessionsPerDay: number };

/** Sessions of some days, a hundred days ago, each with its share of the events, and one ended task with pictures. */
async function seed(installation: Stored, { events, pictures, sessionsPerDay }: Overdue) {
  const { plain } = installation;
  const sessions = days * sessionsPerDay;
  for (let day = 0; day < days; day += 1) {
    const ago = 100 + day;
    await plain.query(`select ensure_event_partitions(current_date - $1::int, current_date - $1::int)`, [ago]);
    for (let n = 0; n < sessionsPerDay; n += 1)
      await seedSession(installation, {
        ago,
        events: Math.ceil(events / sessions),
        pictures: Math.ceil(pictures / sessions),
      });
  }
  await plain.query('vacuum analyze');
}

async function seedSession({ store, plain, blobDir }: Stored, of: { ago: number; events: number; pictures: number }) {
  const { rows } = await plain.query<{ id: string }>(
    `select overlay($1::uuid::text placing left(first_uuid_at(now() - make_interval(days => $2))::text, 13) from 1) as id`,
    [newId(), of.ago],
  );
  const id = rows[0]?.id ?? '';
  const taskId = newId();
  await store.transaction((tx) => store.sessions.create(tx, localUser, { id, viewport }));
  const at = `now() - make_interval(days => ${of.ago})`;
  await plain.query(
    `update sessions set status = 'closed' where id = '${id}';
     update session_seq set last_seq = ${of.events}, last_event_at = ${at} where session_id = '${id}';
     insert into tasks (id, session_id, created_by, owner_id, title, prompt, plan, settings, first_seq, status, finished_at)
     values ('${taskId}', '${id}', '${localUser.id}', '${localUser.id}', '', '', '{}', '{}', 1, 'success', ${at});
     insert into events (session_id, seq, task_id, kind, data, recorded_at)
     select '${id}', n, '${taskId}', 'observation', '{"observation": {"artifact": {"path": "/x"}}}', ${at}
     from generate_series(1, ${of.events}) n`,
  );
  const ids = Array.from({ length: of.pictures }, () => newId());
  const keyOf = (one: string) => `${blobsOf(id)}/${one}.jpeg`;
  // Not by the store, which syncs each: who removes it does not care, and a million would take hours.
  if (ids[0]) await mkdir(dirname(join(blobDir, keyOf(ids[0]))), { recursive: true });
  await inParallel(ids, 16, (one) => writeFile(join(blobDir, keyOf(one)), Buffer.alloc(100)));
  for (let from = 0; from < ids.length; from += 5000) {
    const some = ids.slice(from, from + 5000);
    const values = [some, some.map(keyOf), id, taskId, localUser.id, from];
    await plain.query(
      `with made as (select * from unnest($1::uuid[], $2::text[]) with ordinality as one (id, key, n)), seen as (
         insert into observations (id, task_id, step_id, seq, recorded_at, kind, blob_key, content_type, byte_len)
         select id, $4, 'step-1', $6 + n, ${at}, 'screenshot', key, 'image/jpeg', 100 from made
       )
       insert into recorded_frames (session_id, seq, frame_id, owner_id, task_id, step_id, recorded_at, content_type, width,
         height, route, blob_key, byte_len)
       select $3, $6 + n, id, $5, $4, 'step-1', ${at}, 'image/jpeg', 8, 6, '{}', key, 100 from made`,
      values,
    );
  }
}

async function leftOf(plain: pg.Pool): Promise<{ partitions: number; pictures: number; observations: number }> {
  const { rows } = await plain.query(
    `select (select count(*)::int from pg_inherits i join pg_class c on c.oid = i.inhrelid
             where i.inhparent = 'events'::regclass and c.relname ~ '^events_[0-9]{8}$'
               and to_date(right(c.relname, 8), 'YYYYMMDD') < current_date - 90) as partitions,
       (exists (select from recorded_frames))::int as pictures, (exists (select from observations))::int as observations`,
  );
  return rows[0];
}

/** How long each append of an event to a live session takes, until the work is done. */
async function appendWhile(store: Store, sessionId: string, work: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  let isDone = false;
  const appending = async () => {
    while (!isDone) {
      const begun = performance.now();
      await store.change(sessionId, (_tx, append) => append({ kind: 'log', data: {} }));
      times.push(performance.now() - begun);
      await sleep(5);
    }
  };
  const appends = appending();
  await work().finally(() => {
    isDone = true;
  });
  await appends;
  return times;
}

function timesOf(times: number[]): { count: number; p50: number; p99: number } {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => Math.round((sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN) * 10) / 10;
  return { count: sorted.length, p50: at(0.5), p99: at(0.99) };
}
