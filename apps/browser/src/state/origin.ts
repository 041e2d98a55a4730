// What a site keeps in a browser, in the form from which the browser library restores it.

import { z } from 'zod';

const paths = { keyPath: z.string().optional(), keyPathArray: z.array(z.string()).optional() };
const Index = z.object({ name: z.string(), ...paths, multiEntry: z.boolean(), unique: z.boolean() });
const Store = z.object({
  name: z.string(),
  ...paths,
  autoIncrement: z.boolean(),
  // Keys and values may be anything.
  records: z.array(z.record(z.string(), z.unknown())),
  indexes: z.array(Index),
});
const Database = z.object({ name: z.string(), version: z.number(), stores: z.array(Store) });

/** What does not fit this, the library would not take back: then the whole browser could not be opened again. */
export const Origin = z.object({
  origin: z.string(),
  localStorage: z.array(z.object({ name: z.string(), value: z.string() })),
  indexedDB: z.array(Database).optional(),
});
export type Origin = { origin: string; localStorage: { name: string; value: string }[]; indexedDB?: unknown[] };

/** In bytes of JSON. */
export type Weight = { localStorage: number; indexedDB: number };

const weights = new WeakMap<Origin, Weight>();

export function weighed(origin: Origin, weight: Weight): Origin {
  weights.set(origin, weight);
  return origin;
}

/** Weighed once, as what was read is never changed. */
export function weightOf(origin: Origin): Weight {
  const weight = weights.get(origin) ?? {
    localStorage: sizeOf(origin.localStorage),
    indexedDB: sizeOf(origin.indexedDB),
  };
  weights.set(origin, weight);
  return weight;
}

export const sizeOf = (value: unknown) => (value === undefined ? 0 : Buffer.byteLength(JSON.stringify(value)));

/** Of an address of the web. */
export function originOf(url: string): string | undefined {
  const { protocol, origin } = URL.parse(url) ?? {};
  return protocol === 'http:' || protocol === 'https:' ? origin : undefined;
}
