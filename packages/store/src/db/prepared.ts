// Queries of Kysely that are asked for every step: compiled once in this process, planned once on each connection.

import type { Compilable, InferResult } from 'kysely';
import type pg from 'pg';

/** `values` take the place of those that the query was built with, in the same order. */
export function prepared<Q extends Compilable>(name: string, query: Q) {
  type Row = InferResult<Q>[number] & object;
  const { sql: text, parameters } = query.compile();
  return async (on: pg.Pool | pg.ClientBase, values: readonly unknown[]): Promise<Row[]> => {
    if (values.length !== parameters.length) throw new Error(`${name} takes ${parameters.length} values`);
    return (await on.query<Row>({ name, text, values: [...values] })).rows;
  };
}
