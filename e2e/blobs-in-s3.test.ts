import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type Blobs, openBlobs } from '@pilothouse/store';
import { type S3ForTest, startS3, withoutS3 } from '@pilothouse/store/testing/s3';
import { type Installation, openInstallation } from '../testkit/installation.ts';
import { type Office, startOffice } from '../testkit/pages/office.ts';
import { until } from '../testkit/until.ts';

describe('an installation whose blobs are in S3', { skip: withoutS3() }, () => {
  let installation: Installation;
  let office: Office;
  let s3: S3ForTest;
  let blobs: Blobs;
  before(async () => {
    office = await startOffice();
    s3 = await startS3({ isGuarded: true });
    const bucket = await s3.newBucket();
    blobs = await openBlobs({ bucket });
    installation = await openInstallation('s3', {
      sites: [office.url],
      settings: {
        BLOBS: `s3://${bucket.bucket}/${bucket.prefix}`,
        S3_ENDPOINT: s3.url,
        S3_ACCESS_KEY_ID: bucket.credentials?.accessKeyId ?? '',
        S3_SECRET_ACCESS_KEY: bucket.credentials?.secretAccessKey ?? '',
      },
    });
  });
  after(async () => {
    await installation?.close();
    await office?.close();
    blobs?.close();
    await s3?.close();
  });

  const keys = async () => (await Array.fromAsync(blobs.all())).map(({ key }) => key);

  it('takes files in and out, shows pictures, and removes all of it with the session', async () => {
    const { client, baseUrl, stack } = installation;
    const { task_id: id, session_id } = await client.sendChat({
      prompt:
        'download "Report"\nupload note.txt to "File"\nwait for "Sent note.txt"\nupload report.csv to "File"\nwait for "Sent report.csv"',
      current_url: office.url,
      files: [{ name: 'note.txt', content_base64: Buffer.from('a note').toString('base64') }],
    });
    const statusOf = async () => (await client.getTaskStatus({ id })).status;
    await until(async () => ['success', 'failed'].includes((await statusOf()).status), 60_000);
    const { status, result, last_error } = await statusOf();
    assert.equal(status, 'success', last_error ?? '');
    assert.deepEqual([...office.uploads.values()], ['a note', 'name,price\nLantern,12\n']);
    const brought = await fetch(`${baseUrl}${result?.files?.[0]?.path}`);
    assert.equal(await brought.text(), 'name,price\nLantern,12\n');
    const picture = await fetch(`${baseUrl}/api/tasks/${id}/screenshot`);
    assert.equal(picture.status, 200);
    const bytes = (await picture.arrayBuffer()).byteLength;
    assert.ok(bytes > 1000, `${bytes} bytes`);

    const stored = (await keys()).filter((key) => key.startsWith(`sessions/${session_id}/`));
    assert.ok(stored.length >= 4, `${stored.length} objects`);
    assert.deepEqual(await readdir(join(stack.services.place.dir, 'blobs')), [], 'nothing is in a folder');
    await client.deleteSession({ id: session_id, purge: true });
    await until(async () => (await keys()).length === 0, 20_000);
  });
});
