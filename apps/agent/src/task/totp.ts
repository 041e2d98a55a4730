// One-time codes by RFC 6238: 30 seconds, 6 digits, SHA-1. Keeps neither the key nor the code.

import { createHmac } from 'node:crypto';

const stepMs = 30_000;
const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** `key`: base32 as sites show it, in any case, in groups or not. */
export function totpOf(key: string, timeMs: number, digits = 6): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(timeMs / stepMs)));
  const hash = createHmac('sha1', bytesOf(key)).update(counter).digest();
  const offset = (hash.at(-1) ?? 0) & 0x0f;
  const code = (hash.readUInt32BE(offset) & 0x7fffffff) % 10 ** digits;
  return String(code).padStart(digits, '0');
}

function bytesOf(base32: string): Buffer {
  const signs = base32.toUpperCase().replaceAll(/[\s=-]/g, '');
  const bits = [...signs].map((sign) => letters.indexOf(sign).toString(2).padStart(5, '0')).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}
