// Bands that are read again replace those that were known from there on.

import type { RecordingBand } from '../live/api-types.ts';

/** The server may still change this many bands at the end: whether an attempt failed is known only when it has ended. */
const openBands = 6;

/** From where on bands are read again; undefined before the first read. */
export const rereadFrom = (known: readonly RecordingBand[]): string | undefined =>
  known.length > openBands ? known.at(-openBands)?.from : undefined;

/** `read` begins at `from`, or has everything where that is undefined. */
export function mergeBands(
  known: readonly RecordingBand[],
  read: readonly RecordingBand[],
  from: string | undefined,
): RecordingBand[] {
  if (from === undefined) return [...read];
  const begin = Date.parse(from);
  return [...known.filter((band) => Date.parse(band.from) < begin), ...read];
}
