// One frame in one message: its header, then the picture.

import { PrivateReason, Timestamp, Uuid7 } from '@pilothouse/contract';
import { z } from 'zod';
import { type Codec, DecodeError } from '../wire/codec.ts';
import { defineMessage } from '../wire/define.ts';
import { pack, unpack } from '../wire/packed.ts';
import { subjects } from '../wire/subjects.ts';
import { BusId, Epoch } from './heartbeat.ts';

const maxHeaderBytes = 64 * 1024;
const maxUrlChars = 4096;
const maxTitleChars = 512;

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
  /** Only for the driver under this epoch. Without a reason, no one else may see it. */
  private: z.boolean(),
  private_reason: PrivateReason.optional(),
  /** A script of the page keeps the focus in a field that holds a secret. */
  focuses_secret_field: z.boolean().optional(),
});
export type FrameHeader = z.output<typeof FrameHeader>;

export interface Frame {
  header: FrameHeader;
  image: Uint8Array;
}

export function encodeFrame({ header, image }: Frame): Uint8Array {
  const { url, title } = header;
  // The page chooses its URL and title; a long one must not stop its frames.
  return pack({ ...header, url: clip(url, maxUrlChars), title: clip(title, maxTitleChars) }, image);
}

/** The picture is a view of `bytes`, not a copy. Throws DecodeError on anything that is not a frame. */
export function decodeFrame(bytes: Uint8Array): Frame {
  const { head, body } = unpack(FrameHeader, bytes, maxHeaderBytes);
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
