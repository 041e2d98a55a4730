// Tokens: what they look like, and the hash that is stored in their place.

import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** The prefix tells people and scanners what they have found. */
const prefixes = {
  access: 'pha_',
  refresh: 'phr_',
  share: 'phs_',
  key: 'phk_',
  takeover: 'phw_',
  invite: 'phi_',
  ticket: 'pht_',
} as const;
export type TokenKind = keyof typeof prefixes;

const secretBytes = 32;
const secretLength = Math.ceil((secretBytes * 8) / 6);
const checkLength = 6;

/** 256 random bits and a checksum, so that a mistyped token never reaches the database. */
export function newToken(kind: TokenKind): string {
  const text = prefixes[kind] + randomBytes(secretBytes).toString('base64url');
  return text + checksum(text);
}

/** Undefined if the text cannot be a token of ours. */
export function kindOf(text: string): TokenKind | undefined {
  const kind = (Object.keys(prefixes) as TokenKind[]).find((one) => text.startsWith(prefixes[one]));
  if (!kind || text.length !== prefixes[kind].length + secretLength + checkLength) return undefined;
  return checksum(text.slice(0, -checkLength)) === text.slice(-checkLength) ? kind : undefined;
}

/** Stored instead of the token. A token is random, so one round is enough. */
export const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest();

/** Encrypts a text with a key from the token: the database stores the text and cannot read it. */
export function seal(token: string, text: string): Buffer {
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', sealingKey(token), iv);
  const closed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), closed]);
}

export function unseal(token: string, sealed: Buffer): string {
  const decipher = createDecipheriv('aes-256-gcm', sealingKey(token), sealed.subarray(0, 12));
  decipher.setAuthTag(sealed.subarray(12, 28));
  return Buffer.concat([decipher.update(sealed.subarray(28)), decipher.final()]).toString('utf8');
}

const sealingKey = (token: string) => Buffer.from(hkdfSync('sha256', token, '', 'pilothouse refresh reply', 32));

const checksum = (text: string) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc32(text));
  return bytes.toString('base64url');
};
