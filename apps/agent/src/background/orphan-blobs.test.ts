import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { blobsOf, localUser, newId, openStore, type Store } from '@pilothouse/store';
import { createTestDatabase, type TestDatabase } from '@pilothouse/store/testing';
import pg from 'pg';
import { removeOrphanBlobs } from './orphan-blobs.ts';

const viewport = { width: 8, height: 6 };
const dayMs = 86_400_000;

describe('blobs without a row', () => {
  let database: TestDatabase;
  let blobDir: string;
  let store: Store;
  let plain: pg.Pool;
  before(async () => {
    database = await createTestDatabase();
    blobDir = await mkdtemp(join(tmpdir(), 'pilothouse-blobs-'));
    store = openStore({ url: database.url, blobDir, onError: () => {} });
    plain = new pg.Pool({ connectionString: database.url });
    await store.users.ensureLocal();
  });
  after(async () => {
    await plain?.end();
    await store?.close();
    await database?.close();
    await rm(blobDir, { recursive: true, force: true });
  });

  const newSession = async () =>
    (await store.transaction((tx) => store.sessions.create(tx, localUser, { viewport }))).id;
  async function put(key: string, daysAgo: number): Promise<string> {
    await store.blobs.put(key, Buffer.alloc(3));
    const at = (Date.now() - daysAgo * dayMs) / 1000;
    await utimes(join(blobDir, key), at, at);
    return key;
  }
  async function putFrame(sessionId: string, daysAgo: number): Promise<string> {
    const key = await put(`${blobsOf(sessionId)}/${newId()}.jpeg`, daysAgo);
    await plain.query(
      `insert into recorded_frames (session_id, seq, frame_id, owner_id, recorded_at, content_type, width, height, route,
         blob_key, byte_len)
       values ($1, 1, gen_random_uuid(), $2, now(), 'image/jpeg', 8, 6, '{}', $3, 3)`,
      [sessionId, localUser.id, key],
    );
    return key;
  }
  const look = (hour: number, shares: number) => {
    const now = () => new Date(Date.UTC(2026, 0, 1, hour));
    return removeOrphanBlobs({ store, now, shares, signal: new AbortController().signal });
  };

  it('are removed when they are older than a day, and those with a row stay', async () => {
    const session = await newSession();
    const kept = [await putFrame(session, 5), await put(`${blobsOf(session)}/${newId()}.jpeg`, 0.5)];
    const orphans = [
      await put(`${blobsOf(session)}/${newId()}.png`, 2),
      await put(`${blobsOf(session)}/files/${newId()}`, 2),
      await put(`${blobsOf(session)}/${newId()}.jpeg.${newId()}.part`, 2),
    ];
    assert.equal(await look(0, 1), orphans.length);
    for (const key of kept) assert.ok(await store.blobs.get(key), key);
    for (const key of orphans) assert.equal(await store.blobs.get(key), undefined);
    assert.equal(await look(0, 1), 0);
  });

  it('leave no empty folder behind', async () => {
    const [first, second] = [await newSession(), await newSession()];
    await put(`${blobsOf(first)}/files/${newId()}`, 2);
    await mkdir(join(blobDir, blobsOf(second), 'files'), { recursive: true });
    assert.equal(await look(0, 1), 1);
    const folders = await readdir(join(blobDir, 'sessions')).catch((): string[] => []);
    assert.deepEqual([folders.includes(first), folders.includes(second)], [false, false]);
  });

  it('are found within a day of looks, each at its share of the sessions', async () => {
    for (let i = 0; i < 24; i++) await put(`${blobsOf(await newSession())}/${newId()}.jpeg`, 2);
    const counts: number[] = [];
    for (let hour = 0; hour < 24; hour++) counts.push(await look(hour, 3));
    assert.equal(
      counts.reduce((sum, count) => sum + count, 0),
      24,
    );
    assert.ok(Math.max(...counts) < 24, `${counts}`);
  });
});
