// One frame in one message: what is known of it, then the picture as it is.

import { Timestamp, Uuid7 } from '@pilothouse/contract';
import { z } from 'zod';
import { type Codec, DecodeError } from './codec.ts';
import { defineMessage } from './define.ts';
import { BusId, Epoch } from './heartbeat.ts';
import { pack, unpack } from './packed.ts';
import { subjects } from './subjects.ts';

const MAX_HEADER_BYTES = 64 * 1024;
const MAX_URL_CHARS = 4096;
const MAX_TITLE_CHARS = 512;

export const FrameHeader = z.object({
  frame_id: Uuid7,
  session_id: BusId,
  epoch: Epoch,
  /** Rises with every frame of one session at one host. */
  seq: z.int().nonnegative(),
  recorded_at: Timestamp,
  content_type: z.enum(['image/jpeg', 'image/png']),
  width: z.int().positive(),
  height: z.int().positive(),
  device_scale: z.number().positive(),
  scroll: z.object({ x: z.number(), y: z.number() }),
  page: BusId.nullable(),
  url: z.string().nullable(),
  title: z.string().nullable(),
  /** Only for who drives, under this epoch. */
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
  return pack({ ...header, url: clip(url, MAX_URL_CHARS), title: clip(title, MAX_TITLE_CHARS) }, image);
}

/** The picture is a view of `bytes`, not a copy. Throws DecodeError on anything that is not a frame. */
export function decodeFrame(bytes: Uint8Array): Frame {
  const { head, body } = unpack(FrameHeader, bytes, MAX_HEADER_BYTES);
  if (body.length === 0) throw new DecodeError('frame without a picture');
  return { header: head, image: body };
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
