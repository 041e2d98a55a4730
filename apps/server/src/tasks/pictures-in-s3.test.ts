import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { localUser, openBlobs } from '@pilothouse/store';
import { type S3ForTest, startS3, withoutS3 } from '@pilothouse/store/testing/s3';
import { startTestServer, type TestServer } from '../../testing/server.ts';
import { makeObservation, makeTask } from '../../testing/tasks.ts';

describe('pictures that lie in S3', { skip: withoutS3() }, () => {
  let s3: S3ForTest;
  let server: TestServer;
  before(async () => {
    s3 = await startS3();
    server = await startTestServer({
      isAuthDisabled: true,
      blobs: await openBlobs({ bucket: { ...(await s3.newBucket()), requestMs: 2000 } }),
    });
  });
  after(async () => {
    await server?.close();
    await s3?.close();
  });

  it('are served byte for byte, and answered with 503 while S3 is away', async () => {
    const { store, baseUrl } = server;
    const task = await makeTask(store, { owner: { id: localUser.id, role: 'user' } });
    const image = Buffer.alloc(2_500_000, 'picture ');
    await makeObservation(store, task, { image });
    const ask = () => fetch(`${baseUrl}/api/tasks/${task.id}/screenshot`);
    assert.ok(image.equals(Buffer.from(await (await ask()).arrayBuffer())));
    await s3.close();
    const away = await ask();
    assert.equal(away.status, 503);
    assert.ok(Number(away.headers.get('retry-after')) >= 1);
    assert.equal(
      (await fetch(`${baseUrl}/api/tasks/${task.id}/status`)).status,
      200,
      'what needs no picture is answered',
    );
  });
});
