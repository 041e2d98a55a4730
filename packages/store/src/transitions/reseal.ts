// Seals again, with the first key, what an older key sealed. Runs beside a working installation: a few rows at a time, and none that
// another transaction has locked.

import { setTimeout as sleep } from 'node:timers/promises';
import { secretContext } from '../accounts/secrets.ts';
import { typedContext } from '../accounts/typed-secrets.ts';
import type { Database } from '../db/db.ts';
import type { Sealer } from '../db/encryption.ts';
import { stateContext } from '../fleet/saved-states.ts';
import { contextOf as profileContext } from '../sessions/profiles.ts';

/** `left`: rows of older keys that were locked each time; `unopened`: rows of keys that this process does not have. */
export type Resealed = { table: string; done: number; left: number; unopened: number };

/** As the columns of each table are, named by the table. */
type Row = Record<string, string> & { origins: string[]; sealed: Buffer; key_id: string };
type Sealed = { table: string; column: string; key: string[]; also: string[]; contextOf: (row: Row) => string };

const batchRows = 50;
/** Rounds that found only locked rows. */
const maxIdleRounds = 20;
const pauseMs = 250;

/** What is sealed, and how each is bound to its row. */
const sealedColumns: Sealed[] = [
  {
    table: 'secrets',
    column: 'sealed',
    key: ['id'],
    also: ['owner_id', 'name', 'origins'],
    contextOf: ({ owner_id = '', name = '', origins }) => secretContext({ owner_id, name, origins }),
  },
  {
    table: 'session_secrets',
    column: 'sealed',
    key: ['session_id', 'secret_id', 'written_at'],
    also: [],
    contextOf: ({ session_id = '', secret_id = '' }) => typedContext({ session_id, secret_id }),
  },
  {
    table: 'browsers',
    column: 'sealed_state',
    key: ['session_id'],
    also: [],
    contextOf: ({ session_id = '' }) => stateContext(session_id),
  },
  {
    table: 'profiles',
    column: 'sealed_state',
    key: ['id'],
    also: ['owner_id', 'label'],
    contextOf: ({ owner_id = '', label = '' }) => profileContext(owner_id, label),
  },
];

export function createReseal({ pool, transaction }: Database, sealer: Sealer) {
  const [first, ...older] = sealer.keyIds;

  /** One batch; returns how many rows it sealed again. */
  const resealSome = ({ table, column, key, also, contextOf }: Sealed): Promise<number> =>
    transaction(async ({ client }) => {
      const { rows } = await client.query<Row>(
        `select ${[...key, ...also].join(', ')}, ${column} as sealed, key_id from ${table}
         where key_id = any ($1) order by ${key.join(', ')} limit ${batchRows} for update skip locked`,
        [older],
      );
      for (const row of rows) {
        const context = contextOf(row);
        const { bytes, keyId } = sealer.seal(sealer.open({ bytes: row.sealed, keyId: row.key_id }, context), context);
        const where = key.map((name, i) => `${name} = $${i + 3}`).join(' and ');
        const values = [bytes, keyId, ...key.map((name) => row[name])];
        await client.query(`update ${table} set ${column} = $1, key_id = $2 where ${where}`, values);
      }
      return rows.length;
    });

  async function leftIn(table: string): Promise<{ left: number; unopened: number }> {
    const { rows } = await pool.query<{ left: number; unopened: number }>(
      `select count(*) filter (where key_id = any ($1)) as left,
              count(*) filter (where key_id <> $2 and key_id <> all ($1)) as unopened from ${table}`,
      [older, first],
    );
    return rows[0] ?? { left: 0, unopened: 0 };
  }

  async function resealTable(sealed: Sealed, signal: AbortSignal): Promise<Resealed> {
    const { table } = sealed;
    let done = 0;
    for (let idle = 0; idle < maxIdleRounds && older.length > 0; ) {
      signal.throwIfAborted();
      const count = await resealSome(sealed);
      done += count;
      if (count > 0) continue;
      if ((await leftIn(table)).left === 0) break;
      idle += 1;
      await sleep(pauseMs, undefined, { signal });
    }
    return { table, done, ...(await leftIn(table)) };
  }

  /** Seals everything again that the first key did not seal. */
  return async function reseal(signal: AbortSignal): Promise<Resealed[]> {
    if (first === undefined) throw new Error('there is no key to seal with: set PROFILE_KEY');
    const results: Resealed[] = [];
    for (const one of sealedColumns) results.push(await resealTable(one, signal));
    return results;
  };
}
