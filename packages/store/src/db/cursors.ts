// Cursors of paged lists, opaque to clients: each says where a page ended.

import { AppError } from '@pilothouse/contract';

/** The time and id of the last row of a page. */
export type Position = { at: Date; id: string };

export function encodeCursor({ at, id }: Position): string {
  return Buffer.from(`${at.toISOString()} ${id}`).toString('base64url');
}

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const cursorPattern = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z) ([0-9a-f-]{36})$/;

export function decodeCursor(cursor: string): Position {
  const [, time = '', id = ''] = cursorPattern.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? [];
  const at = new Date(time);
  if (Number.isNaN(at.getTime()) || !uuidPattern.test(id)) {
    throw invalidCursor();
  }
  return { at, id };
}

const invalidCursor = () => new AppError('validation_failed', { detail: 'The cursor is not valid.' });

/** Drops the row that was read beyond the limit, and makes the cursor of the next page. */
export function toPage<Row>(rows: Row[], limit: number, positionOf: (row: Row) => Position) {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return { rows: page, nextCursor: rows.length > limit && last ? encodeCursor(positionOf(last)) : null };
}

const keyPattern = /^key ([\x20-\x7e]{1,200})$/;

/** The same for lists in the order of an id, which is a UUID or any text. */
export function decodeKey(cursor: string, kind: 'uuid' | 'text'): string {
  const [, key] = keyPattern.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? [];
  if (key === undefined || (kind === 'uuid' && !uuidPattern.test(key))) throw invalidCursor();
  return key;
}
export function toKeyPage<Row extends { id: string }>(rows: Row[], limit: number) {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const isCut = rows.length > limit && last !== undefined;
  return { rows: page, nextCursor: isCut ? Buffer.from(`key ${last.id}`).toString('base64url') : null };
}

const seqPattern = /^after (\d{1,15})$/;

/** The number of the last event on a page of a session's log; 0 before the first page. */
export function decodeSeq(cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  const [, seq] = seqPattern.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? [];
  if (seq === undefined) throw invalidCursor();
  return Number(seq);
}

/**
 * The same for rows that are numbered by the log, oldest first. Numbers are assigned under the session's lock, so no
 * row is ever added before the end of a page that was read.
 */
export function toSeqPage<Row extends { seq: number }>(rows: Row[], limit: number) {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const isCut = rows.length > limit && last !== undefined;
  return { rows: page, nextCursor: isCut ? Buffer.from(`after ${last.seq}`).toString('base64url') : null };
}

const momentPattern = /^from (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)$/;

/** The time from which a page goes on. */
export const encodeMoment = (at: Date): string => Buffer.from(`from ${at.toISOString()}`).toString('base64url');
export function decodeMoment(cursor: string): Date {
  const [, time = ''] = momentPattern.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? [];
  const at = new Date(time);
  if (Number.isNaN(at.getTime())) throw invalidCursor();
  return at;
}

/** After an event of a session's log, and after one of the frames that follow it. */
export type RecordingPosition = { seq: number; id: number };

const recordingPattern = /^behind (\d{1,15}) (\d{1,15})$/;

export function decodeRecordingPosition(cursor: string): RecordingPosition {
  const [, seq, id] = recordingPattern.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? [];
  if (seq === undefined || id === undefined) throw invalidCursor();
  return { seq: Number(seq), id: Number(id) };
}

/** The same for a session's log together with its frames. */
export function toRecordingPage<Row extends RecordingPosition>(rows: Row[], limit: number) {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const isCut = rows.length > limit && last !== undefined;
  return { rows: page, nextCursor: isCut ? Buffer.from(`behind ${last.seq} ${last.id}`).toString('base64url') : null };
}
