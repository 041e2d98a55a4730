// JSON and bytes in one message: length of the JSON (4 bytes, big endian), the JSON, then the bytes as they are.

import type { z } from 'zod';
import { type Codec, checkJson, DecodeError } from './codec.ts';

const lengthBytes = 4;
const defaultMaxHeadBytes = 6 * 1024 * 1024;

export interface Packed<Head> {
  head: Head;
  body: Uint8Array;
}

export function pack(head: object, body: Uint8Array): Uint8Array {
  const text = Buffer.from(JSON.stringify(head));
  const bytes = Buffer.allocUnsafe(lengthBytes + text.length + body.length);
  bytes.writeUInt32BE(text.length, 0);
  bytes.set(text, lengthBytes);
  bytes.set(body, lengthBytes + text.length);
  return bytes;
}

/** The body is a view of `bytes`, not a copy. Throws DecodeError on anything that is not so packed. */
export function unpack<Schema extends z.ZodType>(
  schema: Schema,
  bytes: Uint8Array,
  maxHeadBytes: number,
): Packed<z.output<Schema>> {
  if (bytes.length < lengthBytes) throw new DecodeError('without a header');
  const headBytes = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(0);
  const bodyStart = lengthBytes + headBytes;
  if (headBytes > maxHeadBytes || bodyStart > bytes.length) throw new DecodeError('header of a wrong length');
  return { head: checkJson(schema, bytes.subarray(lengthBytes, bodyStart)), body: bytes.subarray(bodyStart) };
}

/** JSON checked by its schema on arrival, with bytes behind it. */
export function packed<Head extends z.ZodType<object>>(
  schema: Head,
): Codec<Packed<z.input<Head>>, Packed<z.output<Head>>> {
  return {
    encode: ({ head, body }) => pack(head as object, body),
    decode: (bytes) => unpack(schema, bytes, defaultMaxHeadBytes),
  };
}
