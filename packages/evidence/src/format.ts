// The lines of a bundle: header, records in a chain of hashes, and the signed end. What is written and what is verified
// is made by these functions, so that the two cannot differ. Pure: never reads a clock, a key or a file.

import { createHash } from 'node:crypto';
import type { EvidenceEnd, EvidenceHeader, EvidenceRecord } from '@pilothouse/contract';
import { canonicalJson } from './canonical-json.ts';

export const formatName = 'pilothouse-evidence';
export const formatVersion = 1;

/** The longest line of a bundle, without its end. A picture is at most 4 MiB, and a third more as base64. */
export const maxLineBytes = 32 * 1024 * 1024;

export const sha256 = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex');

/** The hash of the header is what the first record names as the one before it. */
export function headerLine(header: EvidenceHeader): { line: string; hash: string } {
  const line = canonicalJson(header);
  return { line, hash: sha256(line) };
}

type Unhashed = Omit<EvidenceRecord, 'hash'>;

/** In canonical order the hash stands between the body and these. */
const afterHash = ({ n, kind, previous }: Omit<Unhashed, 'at' | 'body'>): string =>
  `"kind":${canonicalJson(kind)},"n":${canonicalJson(n)},"previous":${canonicalJson(previous)}}`;
const hashField = (hash: string): string => `"hash":${canonicalJson(hash)},`;

/** A body can be megabytes: it is written once, and stands in the hashed text as in the line. */
export function recordLine({ at, body, ...rest }: Unhashed): { line: string; hash: string } {
  const before = `{"at":${canonicalJson(at)},"body":${canonicalJson(body)},`;
  const after = afterHash(rest);
  // The text that is hashed is the canonical JSON of the record without its hash.
  const hash = createHash('sha256').update(before).update(after).digest('hex');
  return { line: `${before}${hashField(hash)}${after}`, hash };
}

/**
 * Whether the line is the one that its hash was made of. The bytes themselves are hashed, and not what they mean as JSON:
 * no other white space, order or escape can stand in them.
 */
export function hasOwnHash(line: Buffer, { hash, ...rest }: EvidenceRecord): boolean {
  const after = Buffer.from(afterHash(rest));
  const tail = Buffer.concat([Buffer.from(hashField(hash)), after]);
  const before = line.subarray(0, Math.max(0, line.length - tail.length));
  if (!line.subarray(before.length).equals(tail)) return false;
  return createHash('sha256').update(before).update(after).digest('hex') === hash;
}

export const endLine = (end: EvidenceEnd): string => canonicalJson(end);

/** What is signed: the last hash, with a name before it, so that the signature is good for nothing else. */
export const signedText = (root: string): string => `${formatName} ${formatVersion} ${root}`;
