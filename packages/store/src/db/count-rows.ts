// The number of rows that a statement changed.

import type pg from 'pg';

export const countRows = async (
  to: Pick<pg.Pool | pg.ClientBase, 'query'>,
  statement: pg.QueryConfig,
): Promise<number> => (await to.query(statement)).rowCount ?? 0;
