import type { Json } from '@pilothouse/contract';

/** Words of pages may hold what PostgreSQL does not: a note must not fail what it tells of. */
export const storableText = (text: string): string => text.replaceAll('\0', '\uFFFD').toWellFormed();

/** The same for what was read from a page, and for its names. */
export function storableJson(value: unknown): Json {
  if (typeof value === 'string') return storableText(value);
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value === 'boolean') return value;
  if (Array.isArray(value)) return value.map(storableJson);
  if (typeof value !== 'object' || value === null) return null;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [storableText(key), storableJson(item)]));
}
