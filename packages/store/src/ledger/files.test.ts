import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts';
import type { Caller } from '../accounts/users.ts';
import { newId } from '../db/ids.ts';
import { openStore, type Store } from '../store.ts';

const viewport = { width: 1280, height: 720 };

describe('the files of a user', () => {
  let database: TestDatabase;
  let store: Store;
  let plain: pg.Pool;
  before(async () => {
    database = await createTestDatabase();
    store = openStore({ url: database.url, blobDir: '/nonexistent', poolSize: 20, onError: () => {} });
    plain = new pg.Pool({ connectionString: database.url });
  });
  after(async () => {
    await plain?.end();
    await store?.close();
    await database?.close();
  });

  async function newUser(): Promise<Caller> {
    const username = `u-${newId()}`;
    const given = { username, email: `${username}@example.test`, passwordHash: 'x' };
    const user = await store.transaction((tx) => store.users.create(tx, given));
    assert.ok(user);
    return { id: user.id, role: 'user' };
  }
  async function newTask(owner: Caller) {
    const id = newId();
    return store.change(id, async (tx) => {
      await store.sessions.create(tx, owner, { id, viewport });
      const plan = { steps: [] };
      const given = { id: newId(), sessionId: id, title: 't', prompt: 'p', plan, settings: {}, totalSteps: 1 };
      return store.tasks.create(tx, owner, given);
    });
  }
  const fileOf = (task: { id: string }, byteLen: number) => ({
    id: newId(),
    task_id: task.id,
    name: 'a.bin',
    content_type: 'application/octet-stream',
    byte_len: byteLen,
    blob_key: `sessions/x/files/${newId()}`,
  });
  const bytesOf = async ({ id }: Caller) =>
    Number((await plain.query('select file_bytes from users where id = $1', [id])).rows[0].file_bytes);
  const makeOlder = (id: string, days: number) =>
    plain.query('update files set created_at = created_at - make_interval(days => $2) where id = $1', [id, days]);

  it('never take more than they may, however many are added at once', async () => {
    const user = await newUser();
    const tasks = await Promise.all(Array.from({ length: 12 }, () => newTask(user)));
    const added = await Promise.all(
      tasks.map((task) => store.change(task.session_id, (tx) => store.files.add(tx, fileOf(task, 100_000), 500_000))),
    );
    assert.equal(added.filter(Boolean).length, 5);
    assert.equal(await bytesOf(user), 500_000);
    assert.equal(await store.files.wouldFit(user.id, [1], 500_000), false);
    assert.equal(await store.files.wouldFit(user.id, [50_000, 50_000], 600_000), true);
  });

  it('count by themselves: those of others change nothing', async () => {
    const [one, other] = await Promise.all([newUser(), newUser()]);
    const [mine, theirs] = await Promise.all([newTask(one), newTask(other)]);
    assert.ok(await store.change(mine.session_id, (tx) => store.files.add(tx, fileOf(mine, 90_000), 100_000)));
    assert.ok(await store.change(theirs.session_id, (tx) => store.files.add(tx, fileOf(theirs, 90_000), 100_000)));
    assert.deepEqual([await bytesOf(one), await bytesOf(other)], [90_000, 90_000]);
  });

  it('count at least a block each, so that empty ones are not free', async () => {
    const user = await newUser();
    const task = await newTask(user);
    const add = () => store.change(task.session_id, (tx) => store.files.add(tx, fileOf(task, 0), 10_000));
    assert.deepEqual([!!(await add()), !!(await add()), !!(await add())], [true, true, false]);
  });

  it('count until their bytes are gone, and then no longer', async () => {
    const user = await newUser();
    const task = await newTask(user);
    const file = fileOf(task, 100_000);
    await store.change(task.session_id, (tx) => store.files.add(tx, file, 1_000_000));
    await makeOlder(file.id, 31);
    assert.equal(await store.files.leaveAged(30, 10), 0, 'its task may still need it');
    await plain.query('update tasks set finished_at = now() where id = $1', [task.id]);
    assert.equal(await store.files.leaveAged(32, 10), 0);
    assert.equal(await store.files.leaveAged(30, 10), 1);
    assert.equal(await store.files.named(task, 'a.bin'), undefined);
    assert.equal(await bytesOf(user), 100_000);
    const failing = async () => assert.fail('the disk is away');
    await assert.rejects(store.files.removeLeaving(10, failing), /the disk is away/);
    assert.equal(await bytesOf(user), 100_000);
    const keys: string[] = [];
    assert.equal(await store.files.removeLeaving(10, async (given) => void keys.push(...given)), 1);
    assert.deepEqual(keys, [file.blob_key]);
    assert.equal(await store.files.removeLeaving(10, failing), 0);
    assert.equal(await bytesOf(user), 0);
    assert.equal((await store.files.ofTask(task.id, file.id))?.retention, 'gone');
  });

  it('are counted also where a former release adds them', async () => {
    const user = await newUser();
    const task = await newTask(user);
    await plain.query(
      `insert into files (id, task_id, name, content_type, byte_len, blob_key) values ($1, $2, 'a', 'b', 100000, 'c')`,
      [newId(), task.id],
    );
    assert.equal(await bytesOf(user), 100_000);
  });

  it('are let go with a purge of their session, and count until their bytes are gone', async () => {
    const user = await newUser();
    const task = await newTask(user);
    const file = fileOf(task, 100_000);
    await store.change(task.session_id, (tx) => store.files.add(tx, file, 1_000_000));
    await store.change(task.session_id, (tx, append) => store.purge.session(tx, append, task.session_id));
    assert.equal((await store.files.ofTask(task.id, file.id))?.retention, 'leaving');
    assert.equal(await bytesOf(user), 100_000);
    await store.files.forgetOf(task.session_id);
    assert.equal(await bytesOf(user), 0);
  });
});
