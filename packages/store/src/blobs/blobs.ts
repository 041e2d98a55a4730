// Blobs: pictures and files. Large, written once, under a key that the caller chooses. They lie in a folder or in a bucket of S3.

export type Blobs = {
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** Stores bytes that come in pieces, without holding all of them. There is no blob unless exactly `size` bytes came. */
  write(key: string, pieces: AsyncIterable<Uint8Array>, size: number): Promise<void>;
  /** Undefined if there is no such blob. */
  get(key: string): Promise<Uint8Array | undefined>;
  /** Undefined if there is no such blob. */
  sizeOf(key: string): Promise<number | undefined>;
  /** The bytes in pieces, each read when the one before it was used. Throws if there is no such blob. */
  read(key: string): AsyncIterable<Uint8Array>;
  /** Removes the blob of this key, or every blob of this folder, and folders that are empty then; it need not exist. */
  removeAll(prefix: string): Promise<void>;
  /** Removes the blobs of these keys, of which none is a folder; they need not exist. After a failure some may be left. */
  removeMany(keys: readonly string[]): Promise<void>;
  /** The names of the folders in a folder, in no order. Nothing if it does not exist. */
  foldersIn(prefix: string): AsyncIterable<string>;
  /** The keys of blobs in a folder and below that were written longer ago than this, unfinished ones too. */
  olderThan(prefix: string, ageMs: number): Promise<string[]>;
  /** Removes a folder, and those in it, unless a blob is there. */
  removeEmpty(prefix: string): Promise<void>;
  /** Every blob that is finished, in no order. */
  all(): AsyncIterable<{ key: string; size: number }>;
  close(): void;
};

/** The place of the blobs cannot be reached, or cannot answer now. */
export class BlobsUnavailable extends Error {
  constructor(cause: unknown) {
    super('pictures and files cannot be reached now', { cause });
    this.name = 'BlobsUnavailable';
  }
}

/** A key is a path of plain words, so that it can neither leave the folder nor name a hidden file. */
const keyPattern = /^[a-z0-9][a-z0-9_-]*(?:\/[a-z0-9][a-z0-9_-]*(?:\.[a-z0-9][a-z0-9-]*)*)*$/;

export const isKey = (key: string): boolean => key.length <= 512 && keyPattern.test(key);

export function requireKey(key: string): string {
  if (!isKey(key)) throw new Error(`not a key for a blob: ${JSON.stringify(key)}`);
  return key;
}

/** How much of a blob `read` gives at once. Small, so that an answer that nobody reads costs little. */
export const pieceBytes = 48 * 1024;

/** The same pieces. Throws unless they are together as long as was said. */
export async function* ofSize(pieces: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<Uint8Array> {
  let sum = 0;
  for await (const piece of pieces) {
    sum += piece.byteLength;
    if (sum > size) break;
    yield piece;
  }
  if (sum !== size) throw new Error(`a blob of ${size} bytes was to be written, and ${sum > size ? 'more' : sum} came`);
}
