// Pictures inside JSON replies, written as base64 while the reply is sent: no such reply is in memory as a whole.

import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Blobs } from '@pilothouse/store';

/** Bytes in memory, or bytes that are read while they are sent. */
export type Bytes = {
  byteLength: number;
  /** How many of them are in memory as long as they are needed. */
  heldBytes: number;
  read(): AsyncIterable<Uint8Array>;
};

export const bytesOf = (bytes: Uint8Array): Bytes => ({
  byteLength: bytes.byteLength,
  heldBytes: bytes.byteLength,
  async *read() {
    for (let at = 0; at < bytes.byteLength; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
  },
});

/** Undefined if there is no such blob. */
export async function blobOf(blobs: Pick<Blobs, 'sizeOf' | 'read'>, key: string): Promise<Bytes | undefined> {
  const byteLength = await blobs.sizeOf(key);
  return byteLength === undefined ? undefined : { byteLength, heldBytes: 0, read: () => blobs.read(key) };
}

/** Small, so that an answer that its peer does not read costs little. */
const pieceBytes = 48 * 1024;

/** In the JSON each picture has a unique name in its place, which is replaced while the reply is sent. */
export class Pictures {
  readonly #byName = new Map<string, Bytes>();

  get size(): number {
    return this.#byName.size;
  }
  get heldBytes(): number {
    return this.#byName.values().reduce((sum, picture) => sum + picture.heldBytes, 0);
  }

  /** The text to put where the picture belongs. */
  embed(picture: Bytes): string {
    const name = `picture:${randomUUID()}`;
    this.#byName.set(name, picture);
    return name;
  }

  /** The reply with its pictures, and how long it is. */
  into(json: string): { byteLength: number; body: Readable } {
    const parts = [...split(json, this.#byName)];
    const byteLength = parts.reduce((sum, part) => sum + lengthOf(part), 0);
    return { byteLength, body: Readable.from(write(parts), { objectMode: false, highWaterMark: pieceBytes }) };
  }
}

type Part = string | Bytes;

function* split(json: string, pictures: Map<string, Bytes>): Generator<Part> {
  let from = 0;
  // Pictures may be embedded in another order than that of the text.
  const found = [...pictures].map(([name, picture]) => ({ at: json.indexOf(name), name, picture }));
  for (const { at, name, picture } of found.toSorted((one, other) => one.at - other.at)) {
    // The reply may not contain it.
    if (at < 0) continue;
    yield json.slice(from, at);
    yield picture;
    from = at + name.length;
  }
  yield json.slice(from);
}

const lengthOf = (part: Part) =>
  typeof part === 'string' ? Buffer.byteLength(part) : Math.ceil(part.byteLength / 3) * 4;

async function* write(parts: Part[]): AsyncGenerator<string> {
  for (const part of parts) {
    if (typeof part === 'string') yield part;
    else yield* toBase64(part.read());
  }
}

/** In whole groups of three bytes, so that the pieces join to one text. */
async function* toBase64(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let rest: Uint8Array = new Uint8Array();
  for await (const piece of pieces) {
    const bytes =
      rest.byteLength === 0
        ? Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength)
        : Buffer.concat([rest, piece]);
    const whole = bytes.byteLength - (bytes.byteLength % 3);
    yield bytes.toString('base64', 0, whole);
    rest = bytes.subarray(whole);
  }
  if (rest.byteLength > 0) yield Buffer.from(rest).toString('base64');
}
