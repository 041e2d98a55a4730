import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { blobPlaceOf, blobSettings, placeNamed, readSettings } from './settings.ts';

const schema = z.object(blobSettings);
const placeOf = (env: Record<string, string>) => blobPlaceOf(readSettings(schema, env));

describe('the place of blobs', () => {
  it('is a folder, or a bucket, which wins', () => {
    assert.deepEqual(placeOf({ BLOB_DIR: '/blobs' }), { dir: '/blobs' });
    assert.deepEqual(placeOf({ BLOB_DIR: '/blobs', BLOBS: 's3://pictures' }), {
      bucket: { bucket: 'pictures', prefix: '', region: 'us-east-1', isPathStyle: false },
    });
    assert.throws(() => placeOf({}), /BLOB_DIR: is required, or BLOBS/);
  });

  it('takes the address, the region and the key of a server of one’s own', () => {
    const own = { S3_ENDPOINT: 'https://s3.example.test:9000', S3_REGION: 'garage', S3_ACCESS_KEY_ID: 'id' };
    assert.deepEqual(placeOf({ BLOBS: 's3://pictures/of/us/', ...own, S3_SECRET_ACCESS_KEY: 'secret' }), {
      bucket: {
        bucket: 'pictures',
        prefix: 'of/us',
        region: 'garage',
        endpoint: 'https://s3.example.test:9000',
        isPathStyle: true,
        credentials: { accessKeyId: 'id', secretAccessKey: 'secret' },
      },
    });
    const named = placeOf({ BLOBS: 's3://pictures', S3_ENDPOINT: own.S3_ENDPOINT, S3_PATH_STYLE: 'false' });
    assert.equal(named.bucket?.isPathStyle, false);
    assert.throws(() => placeOf({ BLOBS: 's3://pictures', ...own }), /one is set without the other/);
  });

  it('is refused where it could name anything else', () => {
    for (const BLOBS of [
      'pictures',
      'http://x/y',
      's3://',
      's3://a',
      's3://Big',
      's3://ab/../c',
      's3://abc//d',
      's3://abc/.x',
    ])
      assert.throws(() => placeOf({ BLOBS }), /BLOBS: must be s3:/, BLOBS);
    const given = readSettings(schema, {});
    assert.deepEqual(placeNamed('/a/folder', given), { dir: '/a/folder' });
    assert.throws(() => placeNamed('a/folder', given), /neither a folder/);
  });
});
