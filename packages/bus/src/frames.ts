// One frame in one message: length of the header (4 bytes, big endian), header as JSON, then the picture as it is.

import { z } from 'zod';
import { type Codec, checkJson, DecodeError } from './codec.ts';
import { defineMessage } from './define.ts';
import { BusId, Epoch } from './heartbeat.ts';
import { subjects } from './subjects.ts';

const LENGTH_BYTES = 4;
const MAX_HEADER_BYTES = 64 * 1024;
const MAX_URL_CHARS = 4096;
const MAX_TITLE_CHARS = 512;

export const FrameHeader = z.object({
  frame_id: BusId,
  session_id: BusId,
  epoch: Epoch,
  /** Rises with every frame of one session at one host. */
  seq: z.int().nonnegative(),
  recorded_at: z.iso.datetime(),
  content_type: z.enum(['image/jpeg', 'image/png']),
  width: z.int().positive(),
  height: z.int().positive(),
  device_scale: z.number().positive(),
  scroll: z.object({ x: z.number(), y: z.number() }),
  page: BusId.nullable(),
  url: z.string().nullable(),
  title: z.string().nullable(),
  /** Not for share links. */
  private: z.boolean(),
});
export type FrameHeader = z.output<typeof FrameHeader>;

export interface Frame {
  header: FrameHeader;
  image: Uint8Array;
}

export function encodeFrame({ header, image }: Frame): Uint8Array {
  const { url, title } = header;
  // The page chooses its address and title; a long one must not stop the frames that show it.
  const clipped = { ...header, url: clip(url, MAX_URL_CHARS), title: clip(title, MAX_TITLE_CHARS) };
  const head = Buffer.from(JSON.stringify(clipped));
  const bytes = Buffer.allocUnsafe(LENGTH_BYTES + head.length + image.length);
  bytes.writeUInt32BE(head.length, 0);
  bytes.set(head, LENGTH_BYTES);
  bytes.set(image, LENGTH_BYTES + head.length);
  return bytes;
}

/** The picture is a view of `bytes`, not a copy. Throws DecodeError on anything that is not a frame. */
export function decodeFrame(bytes: Uint8Array): Frame {
  if (bytes.length < LENGTH_BYTES) throw new DecodeError('frame without a header');
  const headBytes = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(0);
  const imageStart = LENGTH_BYTES + headBytes;
  if (headBytes > MAX_HEADER_BYTES || imageStart > bytes.length)
    throw new DecodeError('frame header of a wrong length');
  if (imageStart === bytes.length) throw new DecodeError('frame without a picture');
  const header = checkJson(FrameHeader, bytes.subarray(LENGTH_BYTES, imageStart));
  return { header, image: bytes.subarray(imageStart) };
}

function clip(text: string | null, maxChars: number): string | null {
  return text === null ? null : text.slice(0, maxChars).toWellFormed();
}

export const frameCodec: Codec<Frame> = { encode: encodeFrame, decode: decodeFrame };

export const frame = defineMessage({
  name: 'frame',
  lane: 'frames',
  subject: subjects.frame,
  body: frameCodec,
  claims: ({ header }) => ({ session_id: header.session_id }),
});
