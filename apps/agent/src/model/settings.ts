// Reads which models there are from settings: MODELS, MODEL_PRICES, MODEL_API_KEYS. No message holds a key or an address.

import { z } from 'zod';
import { listedPrice, type Price } from './prices.ts';

export const vendors = ['openai', 'anthropic', 'google'] as const;
export type Vendor = (typeof vendors)[number];

/** A model as the settings name it. */
type NamedModel = { name: string; model: string } & ({ vendor: Vendor } | { baseUrl: string });

/** A model with everything that a call of it needs. The key stays in this room. */
export type ModelSettings = {
  /** Unique: `openai/gpt-x`, or the name of a compatible server. */
  name: string;
  provider: string;
  model: string;
  wire: Vendor | 'compatible';
  baseUrl: string | undefined;
  apiKey: string | undefined;
  price: Price | undefined;
};

const vendorModel = /^(openai|anthropic|google)\/([A-Za-z0-9][A-Za-z0-9._:/-]{0,99})$/;
const compatibleModel = /^([a-z][a-z0-9-]{0,30})=(https?:\/\/[^\s#,]+)#([^\s#,]{1,200})$/;

const entriesOf = (value: string) =>
  value
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');

/** Zod shows a message for each problem; the value is never part of it. */
const listOf = <T>(read: (entry: string) => T | string) =>
  z.string().transform((value, context) =>
    entriesOf(value).flatMap((entry, index) => {
      const item = read(entry);
      if (typeof item !== 'string') return [item];
      context.issues.push({ code: 'custom', message: `entry ${index + 1} ${item}`, input: undefined });
      return [];
    }),
  );

/** `openai/MODEL`, `anthropic/MODEL`, `google/MODEL` or `NAME=http://…/v1#MODEL`, with commas between. */
export const modelList = listOf<NamedModel>((entry) => {
  const [, vendor, model] = vendorModel.exec(entry) ?? [];
  if (vendor && model) return { name: entry, model, vendor: vendor as Vendor };
  const [, name, baseUrl, served] = compatibleModel.exec(entry) ?? [];
  if (!name || !baseUrl || !served)
    return `must be one of ${vendors.map((one) => `${one}/MODEL`).join(', ')}, or NAME=http://ADDRESS/v1#MODEL`;
  if (!URL.canParse(baseUrl)) return 'has an address that cannot be read';
  if (new URL(baseUrl).username || new URL(baseUrl).password)
    return 'has a password in its address: give it by MODEL_API_KEYS';
  if ((vendors as readonly string[]).includes(name)) return `may not be named ${name}: that is a vendor`;
  return { name, model: served, baseUrl };
});

/** `NAME=INPUT:OUTPUT[:CACHED[:WRITTEN]]` in dollars for a million tokens, with commas between. */
export const priceList = listOf<[string, Price]>((entry) => {
  const at = entry.lastIndexOf('=');
  const parts = entry.slice(at + 1).split(':');
  if (at < 1 || parts.length < 2 || parts.length > 4 || !parts.every((part) => /^\d{1,6}(\.\d{1,6})?$/.test(part)))
    return 'must be NAME=INPUT:OUTPUT:CACHED:WRITTEN, in dollars for a million tokens';
  const [input = 0, output = 0, cached = input, cacheWritten = input] = parts.map((part) =>
    Math.round(Number(part) * 1_000_000),
  );
  return [entry.slice(0, at), { input, output, cached, cacheWritten }];
});

/** `NAME=KEY`, with commas between. */
export const keyList = listOf<[string, string]>((entry) => {
  const [, name, key] = /^([a-z][a-z0-9-]{0,30})=(\S+)$/.exec(entry) ?? [];
  return name && key ? [name, key] : 'must be NAME=KEY';
});

/** The address of a vendor's service. A key must not cross a network in the open. */
export const vendorAddress = z.string().refine(
  (value) => {
    if (!URL.canParse(value)) return false;
    const { protocol, hostname, username, password } = new URL(value);
    if (username || password) return false;
    return protocol === 'https:' || (protocol === 'http:' && /^(127\.\d+\.\d+\.\d+|localhost|\[::1\])$/.test(hostname));
  },
  { message: 'must be an address that begins with https:// (http:// only on this machine), without a password' },
);

export type GivenModels = {
  models: NamedModel[];
  prices: [string, Price][];
  keys: [string, string][];
  vendors: Record<Vendor, { apiKey: string | undefined; baseUrl: string | undefined }>;
};

/** Puts the settings together, and says what does not fit together. */
export function readModels(given: GivenModels): { models: ModelSettings[]; problems: string[] } {
  const problems: string[] = [];
  const prices = new Map(given.prices);
  const keys = new Map(given.keys);
  const names = given.models.map(({ name }) => name);
  for (const name of new Set(names.filter((one, index) => names.indexOf(one) !== index)))
    problems.push(`MODELS: ${name} is listed twice`);
  for (const name of prices.keys()) if (!names.includes(name)) problems.push(`MODEL_PRICES: ${name} is not in MODELS`);
  for (const name of keys.keys())
    if (!given.models.some((one) => one.name === name && 'baseUrl' in one))
      problems.push(`MODEL_API_KEYS: ${name} is not the name of a server in MODELS`);
  for (const vendor of vendors)
    if (!given.vendors[vendor].apiKey && given.models.some((one) => 'vendor' in one && one.vendor === vendor))
      problems.push(`${vendor.toUpperCase()}_API_KEY: is required, because MODELS names ${vendor}`);

  const models = given.models.map((named): ModelSettings => {
    const { name, model } = named;
    if ('vendor' in named) {
      const { apiKey, baseUrl } = given.vendors[named.vendor];
      const price = prices.get(name) ?? listedPrice(name);
      return { name, provider: named.vendor, model, wire: named.vendor, baseUrl, apiKey, price };
    }
    // A server of one's own asks no price for a token.
    const price = prices.get(name) ?? { input: 0, cached: 0, cacheWritten: 0, output: 0 };
    return { name, provider: name, model, wire: 'compatible', baseUrl: named.baseUrl, apiKey: keys.get(name), price };
  });
  return { models, problems };
}
