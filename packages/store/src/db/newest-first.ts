// One page of the rows of a table, the newest first, for lists whose cursor is when a row was created and its id.

import { type SelectQueryBuilder, sql } from 'kysely';
import { decodeCursor, toPage } from './cursors.ts';
import type { DB } from './generated.ts';

export async function newestFirst<T extends keyof DB, Row extends { created_at: Date; id: string }>(
  query: SelectQueryBuilder<DB, T, Row>,
  { limit, cursor }: { limit: number; cursor?: string },
) {
  const position = cursor ? decodeCursor(cursor) : undefined;
  const rest = position ? query.where(sql<boolean>`(created_at, id) < (${position.at}, ${position.id})`) : query;
  const rows = await rest
    .orderBy(sql`created_at`, 'desc')
    .orderBy(sql`id`, 'desc')
    .limit(limit + 1)
    .execute();
  return toPage(rows, limit, (row) => ({ at: row.created_at, id: row.id }));
}
