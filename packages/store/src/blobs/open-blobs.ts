// Opens the place where blobs lie: a folder or a bucket.

import { type Blobs, BlobsUnavailable } from './blobs.ts';
import { createFileBlobs } from './file-blobs.ts';
import { openTriedS3Blobs } from './s3-blobs.ts';
import type { Bucket } from './s3-requests.ts';

export type BlobPlace = { dir: string } | { bucket: Bucket };

/**
 * A bucket is tried first: throws a BucketRefused that says in words what is wrong with it. Where it is only away for now, throws
 * another error: whoever starts again finds it back.
 */
export async function openBlobs(place: BlobPlace): Promise<Blobs> {
  if ('dir' in place) return createFileBlobs(place.dir);
  try {
    return await openTriedS3Blobs(place.bucket);
  } catch (error) {
    if (error instanceof BlobsUnavailable) throw new Error(wordsOf(place.bucket, error), { cause: error });
    throw new BucketRefused(place.bucket, error);
  }
}

export class BucketRefused extends Error {
  constructor(bucket: Bucket, cause: unknown) {
    super(wordsOf(bucket, cause), { cause });
    this.name = 'BucketRefused';
  }
}

function wordsOf({ bucket, endpoint }: Bucket, cause: unknown): string {
  const at = endpoint === undefined ? '' : ` at ${new URL(endpoint).host}`;
  return `the bucket ${bucket}${at} cannot be used: ${reasonOf(cause)}`;
}

const wrongKey = 'S3 does not know this access key, or the secret key is not its own';
/** By the names that S3, the library and Node give to errors. */
const reasons: Record<string, string> = {
  NoSuchBucket: 'there is none of this name',
  InvalidAccessKeyId: wrongKey,
  SignatureDoesNotMatch: wrongKey,
  AuthFailure: wrongKey,
  InvalidClientTokenId: wrongKey,
  AccessDenied: 'the key may not list, put, get and delete in it',
  CredentialsProviderError: 'no credentials were given, and the machine has none',
  PermanentRedirect: 'it is in another region',
  AuthorizationHeaderMalformed: 'it is in another region',
  ECONNREFUSED: 'nothing answers at this address',
  ENOTFOUND: 'the name of its host is not known',
  EAI_AGAIN: 'the name of its host is not known now',
  TimeoutError: 'it does not answer in time',
  AbortError: 'it does not answer in time',
  HPE_INVALID_CONSTANT: 'what it answers is not HTTP',
};

function reasonOf(failure: unknown): string {
  const error = failure instanceof BlobsUnavailable ? failure.cause : failure;
  if (!(error instanceof Error)) return 'for no known reason';
  const code = 'code' in error ? String(error.code) : '';
  return reasons[error.name] ?? reasons[code] ?? (error.message || error.name);
}
