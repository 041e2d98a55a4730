import { z } from 'zod';

/** PostgreSQL holds neither NUL nor lone surrogates: refused at the door, so they never become a failure inside. */
export function isStorableText(value: string): boolean {
  return !value.includes('\0') && value.isWellFormed();
}

/** Text a person typed: bounded, and storable as it is. */
export const text = (max: number, min = 0) =>
  z.string().min(min).max(max).refine(isStorableText, 'must be well-formed Unicode without NUL');
