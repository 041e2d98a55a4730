// Files on their way into a session's browser, and out of it, in pieces.

import { z } from 'zod';
import { defineRequest } from './define.ts';
import { Failed } from './failure.ts';
import { Epoch } from './heartbeat.ts';
import { packed } from './packed.ts';
import { subjects } from './subjects.ts';

export const FILE_PIECE_BYTES = 1024 * 1024;

export const FileName = z
  .string()
  .min(1)
  .max(200)
  // It becomes the last part of a path at the host.
  .refine((name) => !/[/\\\0]/.test(name) && name !== '.' && name !== '..');

/** More than any host takes: whoever is told of a file makes room for so much. */
const MAX_FILE_BYTES = 256 * 1024 * 1024;

export const StoredFile = z.object({
  file_id: z.string(),
  name: z.string(),
  byte_len: z.int().nonnegative().max(MAX_FILE_BYTES),
});
export type StoredFile = z.output<typeof StoredFile>;

export const FileCommand = z.discriminatedUnion('type', [
  /** A piece of a file that a step will upload by this name. A piece at 0 begins it anew. */
  z.object({ type: z.literal('put'), epoch: Epoch, name: FileName, offset: z.int().nonnegative() }),
  /** A piece of a file that a step downloaded. */
  z.object({ type: z.literal('get'), file_id: z.string(), offset: z.int().nonnegative() }),
]);
export type FileCommand = z.output<typeof FileCommand>;

export const FileReply = z.union([z.object({ ok: z.literal(true), byte_len: z.int().nonnegative() }), Failed]);
export type FileReply = z.output<typeof FileReply>;

export const fileCommand = defineRequest({
  name: 'file command',
  subject: subjects.sessionFile,
  askers: () => ['server', 'agent'],
  request: packed(FileCommand),
  reply: packed(FileReply),
});
