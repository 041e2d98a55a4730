// Quotes text for a script. The lexer reads it back.

import { secretRefOf } from '../types/secret-name.ts';

const named: Record<string, string> = { '\\': '\\\\', '"': '\\"', '{': '\\{', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

// Characters that are invisible, or that would reverse the direction of the line.
const unseen = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/u;
const special = new RegExp(`[\\\\"{]|${unseen.source}`, 'gu');

export function quote(text: string): string {
  if (secretRefOf(text)) return `"${text}"`;
  return `"${text.replace(special, (sign) => named[sign] ?? `\\u{${sign.codePointAt(0)?.toString(16)}}`)}"`;
}

/** Without quotes if that reads as the same: a value before a keyword, the title or the end. */
export function quoteIfNeeded(text: string): string {
  const isPlain = /^[\p{L}\p{N}_/.~:][\p{L}\p{N}\p{M}_\-.~:/?#[\]@!$&'()*+,;=%|]*$/u.test(text) && !/[.,;]$/.test(text);
  return isPlain ? text : quote(text);
}

/** JSON on one line, invisible characters escaped. */
export function quoteJson(value: unknown): string {
  const code = (sign: string) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(value).replace(new RegExp(unseen.source, 'gu'), code);
}
