// One request to S3 each, with a deadline: what is sent, and which answers mean that nothing is there.

import { Readable } from 'node:stream';
import type { GetObjectCommandOutput, S3Client } from '@aws-sdk/client-s3';
import { BlobsUnavailable } from './blobs.ts';

/** The library takes a second and 35 MB to load: only processes whose blobs are in a bucket do. */
const loadSdk = () => import('@aws-sdk/client-s3');
type Sdk = Awaited<ReturnType<typeof loadSdk>>;

export type Bucket = {
  bucket: string;
  /** Of every key, without a slash at its end; may be empty. */
  prefix: string;
  region: string;
  /** Another server than that of AWS. */
  endpoint?: string;
  /** The bucket in the path of the address, not in the name of the host. */
  isPathStyle: boolean;
  /** Not given: those of the machine, such as the role of an instance or a pod. */
  credentials?: { accessKeyId: string; secretAccessKey: string };
  /** How long a request may take, its retries included. */
  requestMs?: number;
};

export type Listed = { key: string; size: number; modifiedAt: Date };
type Page = { found: Listed[]; folders: string[] };
type Range = { bytes: Uint8Array; size: number; version: string | undefined };

const connectMs = 5000;
const defaultRequestMs = 30_000;
const maxTries = 3;
const maxSockets = 64;

export async function openS3Requests({ bucket: Bucket, requestMs = defaultRequestMs, ...given }: Bucket) {
  const sdk = await loadSdk();
  const client = createClient(sdk, given);
  const within = () => ({ abortSignal: AbortSignal.timeout(requestMs) });

  return {
    async put(Key: string, bytes: Uint8Array): Promise<void> {
      const command = new sdk.PutObjectCommand({ Bucket, Key, Body: bytes, ContentLength: bytes.byteLength });
      await client.send(command, within());
    },

    putStream: (Key: string, pieces: AsyncIterable<Uint8Array>, size: number): Promise<void> =>
      whileMoving(pieces, requestMs, async (Body, abortSignal) => {
        await client.send(new sdk.PutObjectCommand({ Bucket, Key, Body, ContentLength: size }), { abortSignal });
      }),

    /** Undefined if there is no such object. */
    get: (Key: string): Promise<Uint8Array | undefined> =>
      unlessMissing(
        againIfCut(async () => {
          const { Body } = await client.send(new sdk.GetObjectCommand({ Bucket, Key }), within());
          return bytesOf(Body, requestMs);
        }),
      ),

    /** The part of an object that begins here. Fails where it is no longer of the version that was seen before. */
    range: (Key: string, from: number, length: number, version?: string): Promise<Range> =>
      againIfCut(async () => {
        const of = { Bucket, Key, Range: `bytes=${from}-${from + length - 1}`, IfMatch: version };
        const answer = await client.send(new sdk.GetObjectCommand(of), within());
        const bytes = await bytesOf(answer.Body, requestMs);
        const size = Number(answer.ContentRange?.split('/')[1] ?? bytes.byteLength);
        return { bytes, size, version: answer.ETag };
      }),

    sizeOf: async (Key: string): Promise<number | undefined> =>
      (await unlessMissing(client.send(new sdk.HeadObjectCommand({ Bucket, Key }), within())))?.ContentLength,

    async remove(Key: string): Promise<void> {
      await unlessMissing(client.send(new sdk.DeleteObjectCommand({ Bucket, Key }), within()));
    },

    /** At most a thousand, as one page lists; they need not exist. */
    async removeMany(keys: string[]): Promise<void> {
      const Delete = { Objects: keys.map((Key) => ({ Key })), Quiet: true };
      const { Errors = [] } = await client.send(new sdk.DeleteObjectsCommand({ Bucket, Delete }), within());
      const failed = Errors.filter(({ Code }) => Code !== 'NoSuchKey');
      if (failed.length > 0) throw new Error(`S3 did not remove ${failed.length} objects: ${failed[0]?.Code}`);
    },

    /** What begins with this, a page at a time; with a delimiter, folders in place of what is in them. */
    async *pages(Prefix: string, Delimiter?: '/'): AsyncGenerator<Page> {
      let ContinuationToken: string | undefined;
      do {
        const of = { Bucket, Prefix, ContinuationToken, Delimiter };
        const answer = await client.send(new sdk.ListObjectsV2Command(of), within());
        const found = (answer.Contents ?? []).map(({ Key = '', Size = 0, LastModified = new Date() }) => ({
          key: Key,
          size: Size,
          modifiedAt: LastModified,
        }));
        const folders = (answer.CommonPrefixes ?? []).map((one) => one.Prefix ?? '');
        ContinuationToken = answer.IsTruncated ? answer.NextContinuationToken : undefined;
        yield { found, folders };
      } while (ContinuationToken !== undefined);
    },

    close: () => client.destroy(),
  };
}
export type S3Requests = Awaited<ReturnType<typeof openS3Requests>>;

function createClient(sdk: Sdk, given: Omit<Bucket, 'bucket' | 'requestMs'>): S3Client {
  const client = new sdk.S3Client({
    region: given.region,
    ...(given.endpoint !== undefined && { endpoint: given.endpoint }),
    ...(given.credentials && { credentials: given.credentials }),
    forcePathStyle: given.isPathStyle,
    maxAttempts: maxTries,
    // What fails is thrown, and told there.
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    // Checksums in trailers are unknown to many servers that are not those of AWS.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // Servers that do not answer it make each large put wait for seconds.
    expectContinueHeader: false,
    requestHandler: { connectionTimeout: connectMs, httpsAgent: { maxSockets }, httpAgent: { maxSockets } },
  });
  const name = 'tellUnavailable';
  client.middlewareStack.add(
    (next) => async (args) => {
      try {
        return await next(args);
      } catch (error) {
        throw isAnswer(error) ? error : new BlobsUnavailable(error);
      }
    },
    { step: 'initialize', name, priority: 'high' },
  );
  return client;
}

/** S3 understood the request and refused it, or there is nothing to sign it with. */
function isAnswer(error: unknown): boolean {
  if (nameOf(error) === 'CredentialsProviderError') return true;
  const { $metadata: { httpStatusCode: status = 0 } = {} } = error as { $metadata?: { httpStatusCode?: number } };
  return status > 0 && status < 500 && status !== 429;
}

/** Fails where the pieces do, or where none of them is taken for this long. */
async function whileMoving(
  pieces: AsyncIterable<Uint8Array>,
  stallMs: number,
  send: (body: Readable, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const stop = new AbortController();
  const stalled = new BlobsUnavailable(new DOMException('S3 took no more bytes', 'TimeoutError'));
  const timer = setTimeout(() => stop.abort(stalled), stallMs);
  async function* watched() {
    for await (const piece of pieces) {
      timer.refresh();
      yield piece;
    }
  }
  const body = Readable.from(watched(), { objectMode: false, highWaterMark: 1 });
  // The library does not end a request whose body failed.
  body.on('error', (error) => stop.abort(error));
  try {
    await send(body, stop.signal);
    stop.signal.throwIfAborted();
  } catch (error) {
    throw stop.signal.aborted ? stop.signal.reason : error;
  } finally {
    clearTimeout(timer);
    body.destroy();
  }
}

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : '');

/** The answer to HEAD has no body, and so no better name. A bucket that is not there is another matter. */
async function unlessMissing<T>(found: Promise<T>): Promise<T | undefined> {
  try {
    return await found;
  } catch (error) {
    if (nameOf(error) === 'NoSuchKey' || nameOf(error) === 'NotFound') return undefined;
    throw error;
  }
}

/** The library tries requests again, and not bodies that were cut. */
async function againIfCut<T>(read: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await read();
    } catch (error) {
      if (error instanceof BlobsUnavailable || isAnswer(error)) throw error;
      if (tries === maxTries) throw new BlobsUnavailable(error);
    }
  }
}

/** The library's signal does not reach the body. */
async function bytesOf(body: GetObjectCommandOutput['Body'], ms: number): Promise<Uint8Array> {
  if (!(body instanceof Readable)) throw new Error('S3 answered without a body');
  const late = new DOMException('S3 sent no more bytes', 'TimeoutError');
  const timer = setTimeout(() => body.destroy(new BlobsUnavailable(late)), ms);
  try {
    // `buffer` of node:stream/consumers copies all of it once more, by way of a Blob.
    return Buffer.concat(await Array.fromAsync<Uint8Array>(body));
  } finally {
    clearTimeout(timer);
  }
}
