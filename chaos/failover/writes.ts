// Clients of the database that write without pause, and keep what was acknowledged: each row has a number of a counter, which is
// counted up as epochs and seqs are.

import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

type Acknowledged = { id: string; n: number };

const againMs = 50;
const text = `with next as (update chaos_counter set n = n + 1 returning n)
  insert into chaos_writes (id, n) select $1, n from next returning n`;

export async function startWriting(url: string, writers: number) {
  const acknowledged: Acknowledged[] = [];
  let isOver = false;
  let count = 0;
  const setUp = await connect(url);
  await setUp.query('create table chaos_counter (n int not null)');
  await setUp.query('insert into chaos_counter values (0)');
  await setUp.query('create table chaos_writes (id text primary key, n int not null)');
  await setUp.end();

  async function write(writer: number): Promise<void> {
    while (!isOver) {
      const client = await connect(url).catch(() => undefined);
      try {
        while (client && !isOver) {
          count += 1;
          const id = `${writer}-${count}`;
          const { rows } = await client.query<{ n: number }>(text, [id]);
          acknowledged.push({ id, n: rows[0]?.n ?? 0 });
        }
      } catch {
        // Cut: it may have happened, and nothing was promised.
      } finally {
        await client?.end().catch(() => undefined);
      }
      await sleep(againMs);
    }
  }
  const writing = Promise.all(Array.from({ length: writers }, (_, index) => write(index)));

  return {
    /** What was promised and is not there, and numbers that were given to two. */
    async end(): Promise<{ acknowledged: number; lost: string[]; twice: number[] }> {
      isOver = true;
      await writing;
      const client = await connect(url);
      try {
        const { rows } = await client.query<Acknowledged>('select id, n from chaos_writes');
        const kept = new Map(rows.map(({ id, n }) => [id, n]));
        const lost = acknowledged.filter(({ id, n }) => kept.get(id) !== n).map(({ id }) => id);
        return { acknowledged: acknowledged.length, lost, twice: twiceIn(acknowledged.map(({ n }) => n)) };
      } finally {
        await client.end();
      }
    },
  };
}

export function twiceIn<T>(all: T[]): T[] {
  const seen = new Set<T>();
  return all.filter((one) => seen.has(one) || !seen.add(one));
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 1000, query_timeout: 8000 });
  client.on('error', () => {});
  await client.connect();
  return client;
}
