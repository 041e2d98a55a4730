import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { type S3ForTest, startS3, withoutS3 } from '../../testing/s3.ts';
import { startRelay } from '../../testing/s3-relay.ts';
import { BlobsUnavailable } from './blobs.ts';
import { openBlobs } from './open-blobs.ts';
import { openS3Blobs } from './s3-blobs.ts';
import type { Bucket } from './s3-requests.ts';

const execute = promisify(execFile);
const memoryProgram = join(import.meta.dirname, '../../testing/s3-memory.child.ts');

describe('blobs in a bucket', { skip: withoutS3() }, () => {
  let s3: S3ForTest;
  let bucket: Bucket;
  before(async () => {
    s3 = await startS3();
    bucket = await s3.newBucket();
  });
  after(() => s3?.close());

  it('share it with others, each under a prefix of its own', async () => {
    const prefixes = ['', 'one', 'one/two', 'one-2'];
    const all = await Promise.all(prefixes.map((prefix) => openS3Blobs({ ...bucket, prefix })));
    for (const [i, blobs] of all.entries()) await blobs.put('shared/key', Uint8Array.of(i));
    for (const [i, blobs] of all.entries()) assert.deepEqual([...((await blobs.get('shared/key')) ?? [])], [i]);
    const [whole, one] = all;
    await one?.removeAll('shared');
    assert.deepEqual([...((await whole?.get('shared/key')) ?? [])], [0]);
    assert.deepEqual(
      (await Array.fromAsync(all[2]?.all() ?? [])).map(({ key }) => key),
      ['shared/key'],
    );
    for (const blobs of all) blobs.close();
  });

  it('are listed and removed over many pages', async () => {
    const blobs = await openS3Blobs(bucket);
    const keys = Array.from({ length: 30 }, (_, i) => `many/${i}/x`);
    await Promise.all(keys.map((key) => blobs.put(key, Uint8Array.of(1))));
    assert.equal((await Array.fromAsync(blobs.foldersIn('many'))).length, 30);
    assert.equal((await blobs.olderThan('many', -60_000)).length, 30);
    await blobs.removeAll('many');
    assert.deepEqual(await blobs.olderThan('many', -60_000), []);
    blobs.close();
  });

  it('are never read half as they were and half as they are', async () => {
    const blobs = await openS3Blobs(bucket);
    await blobs.put('replaced', Buffer.alloc(3_000_000, 1));
    await assert.rejects(async () => {
      let isFirst = true;
      for await (const _ of blobs.read('replaced')) {
        if (isFirst) await blobs.put('replaced', Buffer.alloc(3_000_000, 2));
        isFirst = false;
      }
    });
    blobs.close();
  });

  it('hold no connection for readers that stopped in the middle', async () => {
    const blobs = await openS3Blobs(bucket);
    await blobs.put('unread', Buffer.alloc(2_000_000, 1));
    const readers = Array.from({ length: 80 }, () => blobs.read('unread')[Symbol.asyncIterator]());
    for (const reader of readers) assert.equal((await reader.next()).value?.byteLength, 48 * 1024);
    assert.equal(await blobs.sizeOf('unread'), 2_000_000);
    for (const reader of readers) await reader.return?.();
    blobs.close();
  });

  it('of 100 MiB take at most 16 MiB of memory, on their way in and out', async () => {
    const sizeMb = 100;
    const { stdout } = await execute(process.execPath, [memoryProgram, JSON.stringify(bucket), String(sizeMb)], {
      timeout: 180_000,
    });
    console.log(stdout.trim());
    const { readBytes, written, read } = JSON.parse(stdout);
    assert.equal(readBytes, sizeMb * 1024 ** 2);
    for (const { heldMb, residentMb } of [written, read]) {
      assert.ok(heldMb <= 16, `${heldMb} MiB held`);
      assert.ok(residentMb <= 16, `${residentMb} MiB more of the process`);
    }
  });

  it('are not opened where the server answers with another part than it is asked for', async () => {
    const relay = await startRelay(s3.url);
    relay.change((sent) => ({
      ...sent,
      headers: { ...sent.headers, ...(sent.headers.range && { range: 'bytes=0-31' }) },
    }));
    const opened = openBlobs({ bucket: { ...bucket, prefix: 'in-parts', endpoint: relay.url } });
    await assert.rejects(opened, /cannot be used: parts of what was put are answered with wrong bytes/);
    await relay.close();
    const blobs = await openBlobs({ bucket: { ...bucket, prefix: 'in-parts' } });
    assert.deepEqual(await Array.fromAsync(blobs.all()), [], 'nothing stays of the trial');
    blobs.close();
  });

  it('are asked for again where an answer was cut', async () => {
    const cuts = await cutAnswers(s3.url, 2);
    const blobs = await openS3Blobs({ ...bucket, endpoint: cuts.url });
    const bytes = Buffer.alloc(900_000, 'cut ');
    await blobs.put('cut', bytes);
    cuts.begin();
    assert.ok(bytes.equals((await blobs.get('cut')) ?? Buffer.alloc(0)));
    assert.equal(cuts.left(), 0);
    blobs.close();
    cuts.close();
  });

  it('fail within their time where the server does not answer, and go on when it does', async () => {
    const blobs = await openS3Blobs({ ...bucket, requestMs: 1000 });
    await blobs.put('frozen', Uint8Array.of(1));
    s3.freeze();
    const begun = performance.now();
    const endless = async function* () {
      for (;;) yield Buffer.alloc(1_000_000);
    };
    try {
      const asked = [blobs.get('frozen'), blobs.put('frozen', Uint8Array.of(2)), blobs.sizeOf('frozen')];
      const results = await Promise.allSettled([
        ...asked,
        blobs.write('stalled', endless(), 1e9),
        blobs.olderThan('frozen', 0),
      ]);
      for (const result of results)
        assert.ok(result.status === 'rejected' && result.reason instanceof BlobsUnavailable, JSON.stringify(result));
      assert.ok(performance.now() - begun < 15_000);
    } finally {
      s3.thaw();
    }
    const patient = await openS3Blobs(bucket);
    assert.equal((await patient.get('frozen'))?.byteLength, 1);
    for (const one of [blobs, patient]) one.close();
  });
});

/** Passes everything on, but ends the next connections when they have received a part of their answer. */
async function cutAnswers(url: string, count: number) {
  let left = 0;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(new URL(url).port), '127.0.0.1');
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => [client, upstream].forEach((one) => void one.destroy()));
    }
    client.pipe(upstream);
    let passed = 0;
    upstream.on('data', (bytes) => {
      passed += bytes.byteLength;
      client.write(bytes);
      if (left > 0 && passed > 100_000) {
        left -= 1;
        client.destroy();
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return {
    url: `http://127.0.0.1:${port}`,
    begin: () => {
      left = count;
    },
    left: () => left,
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
