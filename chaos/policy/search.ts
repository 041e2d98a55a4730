// Looks for values in everything that an installation keeps: rows, logs, blobs, requests to models and pictures.

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { formsOf } from '@pilothouse/bus';
import type { Entry } from '../../testkit/models/books.ts';
import { createPictureReader } from '../../testkit/picture-reader.ts';
import type { Stack } from '../../testkit/stack/stack.ts';
import { withDatabase } from '../tasks/run.ts';

/** One thing that was kept: where, and its bytes as text or as a picture. */
type Kept = { where: string; text?: string; picture?: Buffer };
export type Found = { searched: Record<string, number>; found: string[]; controls: Record<string, number> };

/** The letters of a value, as a reader of pictures would give them. */
const lettersOf = (text: string) => text.toLowerCase().replaceAll(/[^a-z]/g, '');

export async function searchAll(
  stack: Stack,
  books: Entry[],
  { values, control }: { values: string[]; control: string },
): Promise<Found> {
  const all = [...(await rowsOf(stack)), ...(await filesOf(stack)), ...requestsOf(books)];
  const forms = values.flatMap(formsOf).map((form) => form.toLowerCase());
  const found: string[] = [];
  const searched: Record<string, number> = {};
  const controls: Record<string, number> = {};
  const count = (of: Record<string, number>, name: string) => {
    of[name] = (of[name] ?? 0) + 1;
  };
  const reader = await createPictureReader();
  try {
    for (const { where, text, picture } of all) {
      const kind = where.split(' ')[0] ?? '';
      count(searched, picture ? `${kind} pictures` : kind);
      const said = (picture ? lettersOf(await reader.read(picture)) : (text ?? '')).toLowerCase();
      const wanted = picture ? values.map(lettersOf) : forms;
      if (wanted.some((form) => said.includes(form))) found.push(where);
      if (said.includes(picture ? lettersOf(control) : control.toLowerCase()))
        count(controls, picture ? `${kind} pictures` : kind);
    }
  } finally {
    await reader.close();
  }
  return { searched, found, controls };
}

/** Every row of every table as text; bytes are in it as hexadecimal. */
const rowsOf = (stack: Stack): Promise<Kept[]> =>
  withDatabase(stack, async (db) => {
    const { rows: tables } = await db.query<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables
       where schemaname not in ('pg_catalog', 'information_schema')`,
    );
    const kept: Kept[] = [];
    for (const { name } of tables) {
      const { rows } = await db.query<{ row: string }>(`select t::text as row from only ${name} t`);
      kept.push(...rows.map(({ row }) => ({ where: `row of ${name}`, text: row })));
    }
    return kept;
  });

async function filesOf(stack: Stack): Promise<Kept[]> {
  const { dir } = stack.services.place;
  const names = await readdir(dir);
  const logs = await Promise.all(
    names
      .filter((name) => name.endsWith('.log'))
      .map(async (name) => ({ where: `log ${name}`, text: await readFile(join(dir, name), 'utf8') })),
  );
  const entries = await readdir(join(dir, 'blobs'), { recursive: true, withFileTypes: true });
  const blobs = await Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map(async (entry): Promise<Kept[]> => {
        const bytes = await readFile(join(entry.parentPath, entry.name));
        const where = `blob ${entry.name}`;
        const plain = bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes;
        const isPicture =
          plain.subarray(0, 3).equals(Buffer.from('ffd8ff', 'hex')) || plain.toString('latin1', 1, 4) === 'PNG';
        // A picture may also hold words beside its pixels.
        return [{ where, text: plain.toString('utf8') }, ...(isPicture ? [{ where, picture: plain }] : [])];
      }),
  );
  return [...logs, ...blobs.flat()];
}

const requestsOf = (books: Entry[]): Kept[] =>
  books.flatMap(({ n, request }) => [
    {
      where: `request ${n}`,
      text: JSON.stringify([request.system, request.messages.map((one) => ({ ...one, pictures: [] })), request.tools]),
    },
    ...request.messages.flatMap(({ pictures }) =>
      pictures.map(({ bytes }) => ({ where: `request ${n}`, picture: bytes })),
    ),
  ]);
