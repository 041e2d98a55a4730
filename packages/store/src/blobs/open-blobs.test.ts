import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { listen } from '../../../../testkit/listen.ts';
import { type S3ForTest, startS3, withoutS3 } from '../../testing/s3.ts';
import { startRelay } from '../../testing/s3-relay.ts';
import { BucketRefused, openBlobs } from './open-blobs.ts';
import type { Bucket } from './s3-requests.ts';

// Who starts a process again and again does so where the bucket may come back, and not where it refuses us.
describe('a bucket that cannot be opened', { skip: withoutS3() }, () => {
  let s3: S3ForTest;
  let bucket: Bucket;
  before(async () => {
    s3 = await startS3();
    bucket = { ...(await s3.newBucket()), requestMs: 2000 };
  });
  after(() => s3?.close());

  async function failureOf(given: Partial<Bucket>): Promise<Error> {
    const opened = openBlobs({ bucket: { ...bucket, ...given } });
    const error = await opened.then(
      () => assert.fail('it was opened'),
      (failure: Error) => failure,
    );
    assert.match(error.message, /^the bucket [a-z0-9-]+ at [^ ]+ cannot be used: /);
    return error;
  }

  it('is refused where the server says no', async () => {
    const error = await failureOf({ bucket: 'not-there-at-all' });
    assert.ok(error instanceof BucketRefused);
    assert.match(error.message, /there is none of this name/);
  });

  it('is not refused while nothing answers at its address, or its name is not known', async () => {
    const gone = await listen(createServer());
    await gone.close();
    for (const [endpoint, reason] of [
      [gone.url, /nothing answers at this address/],
      ['http://s3.invalid', /the name of its host is not known/],
    ] as const) {
      const error = await failureOf({ endpoint });
      assert.match(error.message, reason);
      assert.equal(error.name, 'Error');
    }
  });

  it('is not refused while its server stands still or fails, and is opened when it does not', async () => {
    s3.freeze();
    try {
      const error = await failureOf({});
      assert.match(error.message, /does not answer in time/);
      assert.equal(error.name, 'Error');
    } finally {
      s3.thaw();
    }
    const failing = await listen(createServer((_, response) => response.writeHead(503).end()));
    assert.equal((await failureOf({ endpoint: failing.url })).name, 'Error');
    await failing.close();
    const relay = await startRelay(s3.url);
    const blobs = await openBlobs({ bucket: { ...bucket, requestMs: 30_000, endpoint: relay.url } });
    blobs.close();
    await relay.close();
  });
});
