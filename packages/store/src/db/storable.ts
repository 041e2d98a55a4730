// Makes text of pages storable.

import type { Json } from '@pilothouse/contract';

/** Text of pages may hold characters that PostgreSQL refuses; that must not fail the step that recorded it. */
export const storableText = (text: string): string => text.replaceAll('\0', '\uFFFD').toWellFormed();

/** The same for data that was read from a page, and for the names of its fields. */
export function storableJson(value: unknown): Json {
  if (typeof value === 'string') return storableText(value);
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value === 'boolean') return value;
  if (Array.isArray(value)) return value.map(storableJson);
  if (typeof value !== 'object' || value === null) return null;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [storableText(key), storableJson(item)]));
}
