// Text that can be stored.

import { z } from 'zod';

/** PostgreSQL stores neither NUL nor lone surrogates: they are refused in the request. */
export function isStorableText(value: string): boolean {
  return !value.includes('\0') && value.isWellFormed();
}

/** Text of a person: bounded, and storable. */
export const text = (max: number, min = 0) =>
  z.string().min(min).max(max).refine(isStorableText, 'must be well-formed Unicode without NUL');
