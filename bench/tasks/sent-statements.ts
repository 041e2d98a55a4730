// What our processes send to PostgreSQL, counted by PostgreSQL itself.

import pg from 'pg';
import type { Stack } from '../../testkit/stack/stack.ts';

type Services = Stack['services'];
/** How often each statement was sent. */
export type Calls = Map<string, number>;

export function openAdmin(services: Services): pg.Pool {
  const admin = new pg.Pool({ connectionString: services.adminDatabaseUrl(), max: 1 });
  // A restart breaks its connection.
  admin.on('error', () => {});
  return admin;
}

/** The database of the stack under another role, whose statements are not counted. */
export function openUncounted(services: Services): pg.Pool {
  const url = new URL(services.adminDatabaseUrl());
  url.pathname = new URL(services.databaseUrl()).pathname;
  return new pg.Pool({ connectionString: url.href, max: 1 });
}

/** Restarts PostgreSQL with the extension that counts. */
export async function countFromNowOn(services: Services, admin: pg.Pool): Promise<void> {
  await admin.query(`alter system set shared_preload_libraries = 'pg_stat_statements'`);
  await services.kill('postgres');
  await services.start('postgres');
  await admin.query('create extension if not exists pg_stat_statements');
}

/** A statement that was prepared before a reset is told with other text than one that was prepared after it. */
const texts = new Map<string, string>();

/** Of the role that our processes have. */
export async function sentWhile(admin: pg.Pool, work: () => Promise<unknown>): Promise<Calls> {
  await admin.query('select pg_stat_statements_reset()');
  await work();
  const { rows } = await admin.query<{ id: string; query: string; calls: number }>(
    `select queryid::text as id, min(query) as query, sum(calls)::int as calls
     from pg_stat_statements s join pg_roles r on r.oid = s.userid where r.rolname = 'pilothouse' group by queryid`,
  );
  const calls: Calls = new Map();
  for (const { id, query, calls: count } of rows) {
    const text = texts.get(id) ?? query;
    texts.set(id, text);
    calls.set(text, (calls.get(text) ?? 0) + count);
  }
  return calls;
}

export const sum = (calls: Calls, of = /./): number =>
  [...calls].reduce((all, [query, each]) => all + (of.test(query) ? each : 0), 0);
