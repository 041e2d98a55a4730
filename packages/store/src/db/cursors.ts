import { AppError } from '@pilothouse/contract';

/** Where a page of a list ended: the time and id of its last row. Opaque to clients. */
export type Position = { at: Date; id: string };

export function encodeCursor({ at, id }: Position): string {
  return Buffer.from(`${at.toISOString()} ${id}`).toString('base64url');
}

const cursorPattern = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z) ([0-9a-f-]{36})$/;

export function decodeCursor(cursor: string): Position {
  const [, time = '', id = ''] = cursorPattern.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? [];
  const at = new Date(time);
  if (Number.isNaN(at.getTime()) || !/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)) {
    throw notOurs();
  }
  return { at, id };
}

const notOurs = () => new AppError('validation_failed', { detail: 'The cursor is not one of ours.' });

/** Cuts the row that was read beyond the limit, and says where the next page begins. */
export function toPage<Row>(rows: Row[], limit: number, positionOf: (row: Row) => Position) {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return { rows: page, nextCursor: rows.length > limit && last ? encodeCursor(positionOf(last)) : null };
}

const seqPattern = /^after (\d{1,15})$/;

/** Where a page of what is in a session's log ended; before the first page, at 0. */
export function decodeSeq(cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  const [, seq] = seqPattern.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? [];
  if (seq === undefined) throw notOurs();
  return Number(seq);
}

/**
 * The same for rows that are numbered by the log, oldest first. Numbers are given out under the session's lock, so none
 * ever appears behind a page that was read.
 */
export function toSeqPage<Row extends { seq: number }>(rows: Row[], limit: number) {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const isCut = rows.length > limit && last !== undefined;
  return { rows: page, nextCursor: isCut ? Buffer.from(`after ${last.seq}`).toString('base64url') : null };
}

/** Behind an event of a session's log, and behind which of the frames that follow it. */
export type Place = { seq: number; id: number };

const placePattern = /^behind (\d{1,15}) (\d{1,15})$/;

export function decodePlace(cursor: string): Place {
  const [, seq, id] = placePattern.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? [];
  if (seq === undefined || id === undefined) throw notOurs();
  return { seq: Number(seq), id: Number(id) };
}

/** The same for the log of a session together with its frames. */
export function toPlacePage<Row extends Place>(rows: Row[], limit: number) {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const isCut = rows.length > limit && last !== undefined;
  return { rows: page, nextCursor: isCut ? Buffer.from(`behind ${last.seq} ${last.id}`).toString('base64url') : null };
}
