// The audit as a file, page by page: JSON line by line, or a table for a spreadsheet, which runs what looks like a formula.

import type { AuditEntry } from '@pilothouse/contract';

export type AuditFormat = 'ndjson' | 'csv';
export const auditTypes = { ndjson: 'application/x-ndjson', csv: 'text/csv' } as const;

const columns = [
  'recorded_at',
  'event',
  'outcome',
  'username',
  'user_id',
  'actor',
  'actor_id',
  'address',
  'data',
  'id',
] as const satisfies (keyof AuditEntry)[];

/** Reads the next page when its reader has taken the last one. */
export async function* writeAudit(
  pages: AsyncIterable<AuditEntry[]>,
  format: AuditFormat,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  if (format === 'csv') yield Buffer.from(line(columns));
  for await (const entries of pages) {
    signal.throwIfAborted();
    yield Buffer.from(entries.map(format === 'csv' ? rowOf : (entry) => `${JSON.stringify(entry)}\n`).join(''));
  }
}

const rowOf = (entry: AuditEntry): string =>
  line(columns.map((name) => (name === 'data' ? JSON.stringify(entry.data) : (entry[name] ?? ''))));

const line = (cells: readonly string[]): string => `${cells.map(cellOf).join(',')}\r\n`;

/**
 * Every cell is quoted. A spreadsheet takes one that begins with these characters for a formula, also in quotes and after
 * blanks: an apostrophe before it makes it text.
 */
export function cellOf(text: string): string {
  const isFormula = /^[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠|%]/u.test(text) || /^[\t\r\n]/.test(text);
  return `"${isFormula ? "'" : ''}${text.replaceAll('"', '""')}"`;
}
