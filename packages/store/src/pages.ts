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
    throw new AppError('validation_failed', { detail: 'The cursor is not one of ours.' });
  }
  return { at, id };
}

/** Cuts the row that was read beyond the limit, and says where the next page begins. */
export function toPage<Row>(rows: Row[], limit: number, positionOf: (row: Row) => Position) {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return { rows: page, nextCursor: rows.length > limit && last ? encodeCursor(positionOf(last)) : null };
}
