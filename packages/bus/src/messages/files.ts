// Files to and from a session's browser, in pieces.

import { z } from 'zod';
import { defineRequest } from '../wire/define.ts';
import { packed } from '../wire/packed.ts';
import { askersOf, subjects } from '../wire/subjects.ts';
import { Failed } from './failure.ts';
import { Epoch } from './heartbeat.ts';

export const filePieceBytes = 1024 * 1024;

export const FileName = z
  .string()
  .min(1)
  .max(200)
  // It becomes the last part of a path at the host.
  .refine((name) => !/[/\\\0]/.test(name) && name !== '.' && name !== '..');

/** More than any host accepts: the receiver of a file makes room for this much. */
const maxFileBytes = 256 * 1024 * 1024;

export const StoredFile = z.object({
  file_id: z.string(),
  name: z.string(),
  byte_len: z.int().nonnegative().max(maxFileBytes),
});
export type StoredFile = z.output<typeof StoredFile>;

export const FileCommand = z.discriminatedUnion('type', [
  /** A piece of a file that a step will upload under this name. A piece at 0 starts the file again. */
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
  askers: askersOf(subjects.sessionFile),
  request: packed(FileCommand),
  reply: packed(FileReply),
});
