// Tells whether anything in a database has changed. Digests of all rows decide; triggers that count statements say when
// they need not be taken, because thousands of them would take minutes.
import type { TestServer } from './server.ts';

/** Refused calls change rate limits and the audit, and the time of a key's last use. Nothing else may change. */
const mayChange = new Set(['rate_limits', 'audit']);

type Table = { schema: string; name: string };

export type Changes = {
  /** Whether rows are other than when this was last asked. */
  happened(): Promise<boolean>;
};

export async function followChanges({ store }: Pick<TestServer, 'store'>): Promise<Changes> {
  const query = <R extends object>(text: string) =>
    store.transaction(async ({ client }) => (await client.query<R>(text)).rows);
  const tables = (await query<Table>(tablesText)).filter(({ name }) => !mayChange.has(name));
  await query(countingText(tables));
  const digestText = `select md5(concat_ws(' ', ${tables.map(digestOf).join(', ')})) as digest`;
  const read = async () => (await query<{ digest: string }>(digestText))[0]?.digest;
  // A sequence that was never used has the same last value as one that was used once.
  const countText = 'select case when is_called then last_value else 0 end as count from statements_counted';
  const count = async () => (await query<{ count: number }>(countText))[0]?.count;
  let counted = await count();
  /** A statement counts before its transaction ends: its rows may come after the digest. */
  let isUnsettled = false;
  let digest = await read();
  return {
    async happened() {
      const now = await count();
      if (now === counted && !isUnsettled) return false;
      isUnsettled = now !== counted;
      const before = digest;
      counted = now;
      digest = await read();
      return digest !== before;
    },
  };
}

const tablesText = `select relnamespace::regnamespace::text as schema, relname as name from pg_class
  where relkind in ('r', 'p') and not relispartition and relnamespace::regnamespace::text = 'public'
  order by 1, 2`;

const countingText = (tables: Table[]) => `
  create sequence if not exists statements_counted;
  create or replace function count_statement() returns trigger language plpgsql as
    $$ begin perform nextval('public.statements_counted'); return null; end $$;
  ${tables
    .map(
      ({ schema, name }) => `
  create or replace trigger count_statement after insert or update or delete on "${schema}"."${name}"
    for each statement execute function public.count_statement();
  create or replace trigger count_truncate after truncate on "${schema}"."${name}"
    for each statement execute function public.count_statement();`,
    )
    .join('')}`;

const digestOf = ({ name }: Table) => `(select md5(string_agg(line, ' ' order by line))
        from (select (to_jsonb(t) ${name === 'api_keys' ? "- 'last_used_at'" : ''})::text as line from "${name}" t) lines)`;
