import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openBlobs, openStore, type Store } from '@pilothouse/store';
import { createTestDatabase, type TestDatabase } from '@pilothouse/store/testing';
import { type S3ForTest, startS3, withoutS3 } from '@pilothouse/store/testing/s3';
import { docBlock } from '../../../../testkit/doc-blocks.ts';

const adminMain = fileURLToPath(new URL('../admin.main.ts', import.meta.url));
const serverMain = fileURLToPath(new URL('../main.ts', import.meta.url));
const deadlineMs = 60_000;

describe('blobs and the operator', { skip: withoutS3() }, () => {
  let database: TestDatabase;
  let store: Store;
  let s3: S3ForTest;
  let folder: string;
  let settings: Record<string, string>;
  let place: string;
  before(async () => {
    database = await createTestDatabase();
    s3 = await startS3({ isGuarded: true });
    folder = await mkdtemp(join(tmpdir(), 'pilothouse-blobs-'));
    store = openStore({ url: database.url, blobDir: folder, onError: () => {} });
    const { bucket, credentials } = await s3.newBucket();
    place = `s3://${bucket}/moved`;
    settings = {
      S3_ENDPOINT: s3.url,
      S3_ACCESS_KEY_ID: credentials?.accessKeyId ?? '',
      S3_SECRET_ACCESS_KEY: credentials?.secretAccessKey ?? '',
    };
  });
  after(async () => {
    await s3?.close();
    await store?.close();
    await database?.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function run(program: string, args: string[], env: Record<string, string> = {}) {
    const child = spawn(process.execPath, [program, ...args], {
      env: { DATABASE_URL: database.url, ...settings, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: deadlineMs,
    });
    const [out, err, code] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      new Promise<number | null>((resolve) => child.on('close', resolve)),
    ]);
    return { out: out.trimEnd(), err: err.trimEnd(), code };
  }

  it('are copied to a bucket and back by a command, which can be run again', async () => {
    for (const i of [1, 2, 3]) await store.blobs.put(`sessions/one/${i}.png`, Buffer.alloc(i * 1000, i));
    const copied = { out: '3 blobs copied (6000 bytes), 0 there already', err: '', code: 0 };
    const { code } = docBlock('docs/operate/backup.md', 'npm run admin -- copy-blobs');
    const told = code.replace('/var/lib/pilothouse/blobs', folder).replace('s3://bucket/pilothouse', place);
    assert.deepEqual(await run(adminMain, told.trim().split(' ').slice('npm run admin --'.split(' ').length)), copied);
    const again = await run(adminMain, ['copy-blobs', folder, place]);
    assert.equal(again.out, '0 blobs copied (0 bytes), 3 there already');
    const back = join(folder, 'back');
    assert.deepEqual(await run(adminMain, ['copy-blobs', place, back]), copied);
    const there = await openBlobs({ dir: back });
    for (const i of [1, 2, 3])
      assert.ok(Buffer.alloc(i * 1000, i).equals((await there.get(`sessions/one/${i}.png`)) ?? Buffer.alloc(0)));
  });

  it('are not copied to a bucket that cannot be used, or to the same place', async () => {
    const missing = await run(adminMain, ['copy-blobs', folder, 's3://none-of-this-name']);
    assert.equal(missing.code, 1);
    assert.match(missing.err, /^the bucket none-of-this-name at \S+ cannot be used: there is none of this name$/);
    for (const to of [folder, `${folder}/`, join(folder, 'inside')])
      assert.equal((await run(adminMain, ['copy-blobs', folder, to])).code, 1, to);
    const slip = await run(adminMain, ['copy-blobs', join(folder, 'none'), place]);
    assert.deepEqual([slip.code, slip.err], [1, `${join(folder, 'none')}: there is no such folder`]);
    assert.equal((await run(adminMain, ['copy-blobs', folder])).code, 2);
  });

  it('keep a server from starting where their bucket cannot be used, which it says in words', async () => {
    const env = {
      NATS_URL: 'nats://127.0.0.1:9',
      NATS_PASSWORD: 'x',
      BLOBS: place,
      S3_SECRET_ACCESS_KEY: 'not-the-secret',
    };
    const { err, code } = await run(serverMain, [], env);
    assert.equal(code, 2);
    assert.match(
      err,
      /BLOBS: the bucket guarded at \S+ cannot be used: S3 does not know this access key, or the secret/,
    );
    assert.doesNotMatch(err, /not-the-secret/);
  });
});
