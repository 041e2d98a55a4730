// What only a right key may do in a bucket: one list of cases, run on each S3 server that checks signatures.

import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { firstPieceBytes } from '../../testing/radosgw.ts';
import type { S3ForTest } from '../../testing/s3.ts';
import { type Sent, startRelay } from '../../testing/s3-relay.ts';
import { s3Servers } from '../../testing/s3-servers.ts';
import type { Blobs } from './blobs.ts';
import { openBlobs } from './open-blobs.ts';
import { openS3Blobs } from './s3-blobs.ts';
import { type Bucket, openS3Requests } from './s3-requests.ts';

const digestOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const contentOf = async (blobs: Blobs, key: string) => digestOf((await blobs.get(key)) ?? assert.fail(`no ${key}`));

async function* inPieces(bytes: Uint8Array, length: number) {
  for (let at = 0; at < bytes.byteLength; at += length) yield bytes.subarray(at, at + length);
}

for (const { name, skip, startGuarded, areRangesRight, checksBodies } of s3Servers)
  describe(`a bucket of ${name}, which takes signed requests only`, { skip, timeout: 120_000 }, () => {
    let s3: S3ForTest;
    let bucket: Bucket;
    before(async () => {
      s3 = await startGuarded();
      bucket = await s3.newBucket();
    });
    after(() => s3?.close());

    /** What is wrong with each, how a request is refused, and what is said at the start of a process. */
    function wrongKeys() {
      const { accessKeyId = '', secretAccessKey = '' } = bucket.credentials ?? {};
      return [
        {
          credentials: { accessKeyId, secretAccessKey: 'x'.repeat(40) },
          refusal: 'SignatureDoesNotMatch',
          reason: /the secret key is not its own/,
        },
        {
          credentials: { accessKeyId: `AKIA${'X'.repeat(16)}`, secretAccessKey },
          refusal: 'InvalidAccessKeyId',
          reason: /does not know this access key/,
        },
      ];
    }
    const refused = (given: Partial<Bucket>, reason: RegExp) =>
      assert.rejects(openBlobs({ bucket: { ...bucket, ...given } }), (error: Error) => {
        assert.match(error.message, /^the bucket [a-z0-9-]+ at 127\.0\.0\.1:\d+ cannot be used: /);
        assert.match(error.message, reason);
        assert.ok(!error.message.includes(bucket.credentials?.secretAccessKey ?? '?'));
        return true;
      });

    if (areRangesRight)
      it('is opened with the right key, and nothing stays of the trial', async () => {
        const blobs = await openBlobs({ bucket: { ...bucket, prefix: 'opened' } });
        assert.deepEqual(await Array.fromAsync(blobs.all()), []);
        blobs.close();
      });
    else
      it('is refused with the right key where parts of a blob have wrong bytes', async () => {
        // What comes after them may be read as the next answer.
        await refused({ prefix: 'opened' }, /answered with wrong bytes|what it answers is not HTTP/);
      });

    it('is refused with a key or a secret that is not right', async () => {
      for (const { credentials, reason } of wrongKeys()) await refused({ credentials }, reason);
    });

    it('is refused if there is none, or nothing answers', async () => {
      await refused({ bucket: 'none-of-this-name' }, /there is none of this name/);
      await refused({ endpoint: 'http://127.0.0.1:9' }, /nothing answers at this address/);
      s3.freeze();
      await refused({ requestMs: 500 }, /does not answer in time/).finally(s3.thaw);
    });

    it('is neither read nor changed with a key or a secret that is not right', async () => {
      const own = { ...bucket, prefix: 'guarded' };
      const kept = await openS3Blobs(own);
      await kept.put('a/kept', Uint8Array.of(1));
      const large = Buffer.alloc(5_000_000, 2);
      for (const { credentials, refusal } of wrongKeys()) {
        const blobs = await openS3Blobs({ ...own, credentials });
        const acts: Record<string, () => Promise<unknown>> = {
          put: () => blobs.put('a/kept', large),
          write: () => blobs.write('a/other', inPieces(large, 100_000), large.byteLength),
          get: () => blobs.get('a/kept'),
          read: () => Array.fromAsync(blobs.read('a/kept')),
          removeAll: () => blobs.removeAll('a'),
          removeMany: () => blobs.removeMany(['a/kept']),
          foldersIn: () => Array.fromAsync(blobs.foldersIn('a')),
          olderThan: () => blobs.olderThan('a', -60_000),
          all: () => Array.fromAsync(blobs.all()),
        };
        for (const [act, run] of Object.entries(acts)) await assert.rejects(run, { name: refusal }, act);
        // The answer to HEAD has no body, and so no better name.
        await assert.rejects(blobs.sizeOf('a/kept'), (error: Error & { $metadata?: { httpStatusCode?: number } }) => {
          assert.equal(error.$metadata?.httpStatusCode, 403);
          return true;
        });
        blobs.close();
      }
      assert.deepEqual(await Array.fromAsync(kept.all()), [{ key: 'a/kept', size: 1 }]);
      assert.deepEqual([...((await kept.get('a/kept')) ?? [])], [1]);
      kept.close();
    });

    it('takes streams of some megabytes and gives back the same bytes', async () => {
      const blobs = await openS3Blobs({ ...bucket, prefix: 'streamed' });
      const [small, large] = [randomBytes(1024 * 1024), randomBytes(5 * 1024 * 1024 + 7)];
      await blobs.write('one-range', inPieces(small, 33_333), small.byteLength);
      await blobs.write('many-ranges', inPieces(large, 77_777), large.byteLength);
      const read = async (key: string) => digestOf(Buffer.concat(await Array.fromAsync(blobs.read(key))));
      assert.equal(await read('one-range'), digestOf(small));
      assert.equal(await contentOf(blobs, 'many-ranges'), digestOf(large));
      if (areRangesRight) assert.equal(await read('many-ranges'), digestOf(large));
      blobs.close();
    });

    it('gives parts of a blob as long as they are of one version', async () => {
      const requests = await openS3Requests(bucket);
      const bytes = randomBytes(300_000);
      await requests.put('in-parts', bytes);
      // Every server is right about these two parts.
      const first = await requests.range('in-parts', 0, firstPieceBytes);
      const rest = await requests.range('in-parts', firstPieceBytes, 1024 * 1024, first.version);
      assert.deepEqual([first.size, rest.size], [bytes.byteLength, bytes.byteLength]);
      assert.equal(digestOf(Buffer.concat([first.bytes, rest.bytes])), digestOf(bytes));
      await requests.put('in-parts', randomBytes(300_000));
      await assert.rejects(requests.range('in-parts', firstPieceBytes, 1024 * 1024, first.version), {
        name: 'PreconditionFailed',
      });
      requests.close();
    });

    it('keeps blobs under every kind of name that a prefix and a key may have', async () => {
      // Neither may have a character that needs another form in an address.
      const longest = `names/${'folder/'.repeat(30)}${'x'.repeat(292)}.png`;
      const keys = ['names/a', 'names/0/b_c-d.e-f.png', 'names/folder/a.b.c/2--3__4.5', longest];
      for (const prefix of ['', 'Upper/Case_x.y-z', 'deep/'.repeat(20).slice(0, -1)]) {
        const blobs = await openS3Blobs({ ...bucket, prefix });
        for (const key of keys) await blobs.put(key, Buffer.from(`${prefix} ${key}`));
        for (const key of keys) {
          assert.equal(await contentOf(blobs, key), digestOf(Buffer.from(`${prefix} ${key}`)), key);
          assert.equal(await blobs.sizeOf(key), prefix.length + 1 + key.length);
        }
        const told = (await Array.fromAsync(blobs.all()))
          .map(({ key }) => key)
          .filter((key) => key.startsWith('names/'));
        assert.deepEqual(told.toSorted(), keys.toSorted());
        await blobs.removeMany(keys.slice(0, 2));
        assert.deepEqual((await blobs.olderThan('names', -60_000)).toSorted(), keys.slice(2).toSorted());
        await blobs.removeAll('names');
        assert.deepEqual(await blobs.olderThan('names', -60_000), []);
        blobs.close();
      }
    });

    it('refuses what was changed on its way', async () => {
      const own = { ...bucket, prefix: 'changed' };
      const [key, forged] = ['a/as-signed', 'a/as-forged'];
      const relay = await startRelay(s3.url);
      const blobs = await openS3Blobs({ ...own, endpoint: relay.url });
      await blobs.put(key, Buffer.from('as signed'));
      assert.equal(await contentOf(blobs, key), digestOf(Buffer.from('as signed')));
      const refusal = { name: /^(SignatureDoesNotMatch|RequestTimeTooSkewed|XAmzContentSHA256Mismatch)$/ };
      const changes: Record<string, (sent: Sent) => Sent> = {
        name: (sent) => ({ ...sent, path: sent.path.replace(key, forged) }),
        date: (sent) => ({ ...sent, headers: { ...sent.headers, 'x-amz-date': '20200101T000000Z' } }),
        ...(checksBodies && { body: (sent: Sent) => ({ ...sent, body: Buffer.from('as forged') }) }),
      };
      for (const [what, change] of Object.entries(changes)) {
        relay.change(change);
        await assert.rejects(blobs.put(key, Buffer.from('signed, 2')), refusal, what);
      }
      relay.change((sent) => ({ ...sent, headers: { ...sent.headers, range: 'bytes=0-1' } }));
      await assert.rejects(Array.fromAsync(blobs.read(key)), refusal, 'range');
      blobs.close();
      await relay.close();
      const kept = await openS3Blobs(own);
      assert.deepEqual(await Array.fromAsync(kept.all()), [{ key, size: 9 }]);
      assert.equal(await contentOf(kept, key), digestOf(Buffer.from('as signed')));
      kept.close();
    });
  });
