// JSON that can be stored.

import { z } from 'zod';
import { isStorableText } from './text.ts';

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** Deeper nesting has no use, and costs stack in every recursive function. */
export const maxJsonDepth = 32;

/** Whether PostgreSQL can store the value: plain JSON, storable text in keys and values, bounded nesting. */
export function isStorableJson(value: unknown, depth = 0): boolean {
  if (depth > maxJsonDepth) return false;
  if (typeof value === 'string') return isStorableText(value);
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value === 'boolean' || value === null) return true;
  if (Array.isArray(value)) return value.every((item) => isStorableJson(item, depth + 1));
  if (typeof value !== 'object') return false;
  return Object.entries(value).every(([key, item]) => isStorableText(key) && isStorableJson(item, depth + 1));
}

const message = `must be JSON at most ${maxJsonDepth} levels deep, in well-formed Unicode without NUL`;

// The refinement is what makes the type true; zod cannot infer it from a predicate.
export const Json = z.unknown().refine((value) => isStorableJson(value), message) as unknown as z.ZodType<Json, Json>;

export type JsonObject = { [key: string]: Json };

export const JsonObject = z
  .record(z.string(), z.unknown())
  .refine((value) => isStorableJson(value), message) as unknown as z.ZodType<JsonObject, JsonObject>;
