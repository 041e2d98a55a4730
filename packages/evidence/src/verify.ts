// Verifies a bundle while it is read: its bytes, its chain, its pictures and its signature. Needs no server and no
// database. Never trusts a value before the line that it stands in.

import { isUtf8 } from 'node:buffer';
import type { EvidenceEnd, EvidenceHeader, EvidenceRecord } from '@pilothouse/contract';
import { canonicalJson } from './canonical-json.ts';
import { formatName, formatVersion, hasOwnHash, maxLineBytes, sha256 } from './format.ts';
import { isSignedBy, keyIdOf } from './keys.ts';
import { LineTooLong, readLines } from './read-lines.ts';

export type Verified = {
  isWhole: true;
  header: EvidenceHeader;
  /** How many records there are of each kind. */
  kinds: Record<string, number>;
  count: number;
  /** Whether the caller named the key; otherwise it is only the one that the bundle itself names. */
  isKeyPinned: boolean;
};
/** The first line that is not as it was signed. */
export type Fault = { isWhole: false; line: number; kind: string; problem: string };
export type VerifyOptions = {
  /** The public key of the installation, 32 bytes in base64. */
  key?: string;
  signal?: AbortSignal;
};

const maxPictures = 1_000_000;

export async function verifyBundle(
  pieces: AsyncIterable<Uint8Array>,
  { key, signal }: VerifyOptions = {},
): Promise<Verified | Fault> {
  const reader = createReader(key);
  let last = 0;
  try {
    for await (const { number, bytes, isEnded } of readLines(pieces, maxLineBytes)) {
      signal?.throwIfAborted();
      last = number;
      const fault = reader.take(bytes, { number, isEnded });
      if (fault) return { isWhole: false, line: number, ...fault };
    }
  } catch (error) {
    if (!(error instanceof LineTooLong)) throw error;
    return { isWhole: false, line: error.number, kind: 'unknown', problem: 'is longer than any line of a bundle' };
  }
  return reader.verified() ?? missingEnd(last + 1);
}

const missingEnd = (line: number): Fault => ({
  isWhole: false,
  line,
  kind: 'end',
  problem: 'is missing: the bundle was cut, or its end was taken away',
});

/** `line` if it is another than the one that was taken. */
type Problem = { kind: string; problem: string; line?: number };
type Parsed = Record<string, unknown>;

/** Takes one line after the other, and returns what is wrong with it. */
function createReader(pinned: string | undefined) {
  let header: EvidenceHeader | undefined;
  let previous = '';
  let count = 0;
  let isOver = false;
  const kinds = new Map<string, number>();
  const pictures = createPictureCheck();

  function takeHeader(line: Parsed): Problem | undefined {
    const problem = (words: string) => ({ kind: 'header', problem: words });
    if (line.format !== formatName) return problem('is no header of a bundle of evidence');
    if (line.version !== formatVersion) return problem('is of a version that is not known here');
    // The chain and the signature are what proves the rest of it.
    header = line as EvidenceHeader;
    if (typeof header.public_key !== 'string' || header.key_id !== keyIdOf(header.public_key))
      return problem('was changed: the key is not the one that its name is of');
    if (pinned !== undefined && header.public_key !== pinned)
      return problem(`names the key ${header.key_id}, and you asked for ${keyIdOf(pinned)}`);
    return undefined;
  }

  function takeRecord(record: EvidenceRecord, kind: string, bytes: Buffer): Problem | undefined {
    const { n, hash, previous: named } = record;
    if (!hasOwnHash(bytes, record)) return { kind, problem: 'was changed: it has not the hash that stands in it' };
    if (n !== count + 1)
      return { kind, problem: `is record ${n} where ${count + 1} belongs: lines were taken out, doubled or moved` };
    // A header has no hash of its own: only the first record tells that it was changed.
    if (named !== previous && count === 0)
      return { line: 1, kind: 'header', problem: 'was changed: it has not the hash that the first record names' };
    if (named !== previous)
      return { kind, problem: 'does not follow the line before it: that line was changed, or lines were exchanged' };
    [count, previous] = [n, hash];
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    return kind === 'picture' ? pictures.take(record.body) : pictures.findMissing(kind, record.body);
  }

  function takeEnd(end: EvidenceEnd): Problem | undefined {
    const problem = (words: string) => ({ kind: 'end', problem: words });
    if (end.count !== count || end.n !== count + 1)
      return problem(`tells of ${end.count} records, and there are ${count}: it was changed, or lines were taken out`);
    if (end.root !== previous) return problem('names another last hash: it was changed, or lines before it were');
    if (!header || !isSignedBy(header.public_key, end.root, end.signature))
      return problem('has no signature of the key that the header names: the bundle or the signature was changed');
    isOver = true;
    return undefined;
  }

  return {
    take(bytes: Buffer, { number, isEnded }: { number: number; isEnded: boolean }): Problem | undefined {
      if (isOver) return { kind: 'unknown', problem: 'comes after the end of the bundle' };
      if (!isEnded) return { kind: 'unknown', problem: 'is cut: it does not end with a line feed' };
      const expected = number === 1 ? 'header' : 'unknown';
      const line = parse(bytes);
      if (!line) return { kind: expected, problem: 'was changed: it is not JSON' };
      const isRecord = number > 1 && !('root' in line.parsed);
      const kind = isRecord ? kindOf(line.parsed) : number === 1 ? 'header' : 'end';
      if (isRecord && !isRecordShaped(line.parsed))
        return { kind, problem: 'was changed: it has other fields than a record' };
      // The bytes of a record are hashed below.
      if (!isRecord && !isCanonical(line)) return { kind, problem: 'was changed: a bundle would write it otherwise' };
      if (number === 1) {
        previous = sha256(bytes);
        return takeHeader(line.parsed);
      }
      // Their fields are checked above and below; the casts say which they are.
      if (!isRecord) return takeEnd(line.parsed as EvidenceEnd);
      return guard(kind, () => takeRecord(line.parsed as EvidenceRecord, kind, bytes));
    },

    verified: (): Verified | undefined =>
      isOver && header
        ? { isWhole: true, header, kinds: Object.fromEntries(kinds), count, isKeyPinned: pinned !== undefined }
        : undefined,
  };
}

/** Pictures stand before the records that name them. */
function createPictureCheck() {
  const known = new Set<string>();
  return {
    take({ sha256: named, base64 }: Parsed): Problem | undefined {
      const bytes = Buffer.from(String(base64), 'base64');
      if (typeof named !== 'string' || sha256(bytes) !== named)
        return { kind: 'picture', problem: 'has another hash than its picture' };
      if (known.size === maxPictures) return { kind: 'picture', problem: 'is one more than a bundle can have' };
      known.add(named);
      return undefined;
    },

    findMissing(kind: string, { pictures: named }: Parsed): Problem | undefined {
      const isMissing = hashesIn(named).some((hash) => !known.has(hash));
      return isMissing ? { kind, problem: 'names a picture that is not in the bundle' } : undefined;
    },
  };
}

function parse(bytes: Buffer): { parsed: Parsed; text: string } | undefined {
  // Bytes that are no UTF-8 would be read as other characters.
  if (!isUtf8(bytes)) return undefined;
  const text = bytes.toString('utf8');
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
      ? { parsed: parsed as Parsed, text }
      : undefined;
  } catch {
    return undefined;
  }
}

const isCanonical = ({ parsed, text }: { parsed: Parsed; text: string }): boolean =>
  guard('', () => (canonicalJson(parsed) === text ? undefined : { kind: '', problem: '' })) === undefined;

/** What cannot be written as JSON was never written by us. */
function guard(kind: string, check: () => Problem | undefined): Problem | undefined {
  try {
    return check();
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError)
      return { kind, problem: 'was changed: a bundle would write it otherwise' };
    throw error;
  }
}

/** Kinds are words of ours: anything else is not printed. */
const kindOf = ({ kind }: Parsed): string =>
  typeof kind === 'string' && /^[a-z_]{1,40}$/.test(kind) ? kind : 'unknown';

const recordKeys = ['at', 'body', 'hash', 'kind', 'n', 'previous'].join();
const isRecordShaped = (line: Parsed): boolean =>
  Object.keys(line).join() === recordKeys && typeof line.body === 'object' && line.body !== null;

/** The hashes of pictures that the field `pictures` of a body names. */
function hashesIn(named: unknown): string[] {
  if (typeof named !== 'object' || named === null) return [];
  return Object.values(named).flatMap((one: unknown) => {
    const hash = typeof one === 'object' && one !== null ? (one as Parsed).sha256 : undefined;
    return typeof hash === 'string' ? [hash] : [];
  });
}
