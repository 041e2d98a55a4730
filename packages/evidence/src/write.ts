// Writes a bundle line by line while it is read: never holds more than one line. A bundle that breaks off has no end, and
// cannot be taken for a whole one.

import type { EvidenceHeader } from '@pilothouse/contract';
import { endLine, headerLine, maxLineBytes, recordLine } from './format.ts';
import type { EvidenceSigner } from './keys.ts';

/** One record before it has its place in the chain. */
export type NewRecord = { kind: string; at: string; body: object };
type Head = Omit<EvidenceHeader, 'key_id' | 'public_key'>;

/** Each piece is one whole line. Throws the signal's reason after an abort. */
export async function* writeBundle(
  head: Head,
  records: AsyncIterable<NewRecord>,
  { signer, signal }: { signer: EvidenceSigner; signal?: AbortSignal },
): AsyncGenerator<Buffer> {
  const { keyId, publicKey, sign } = signer;
  const header = headerLine({ ...head, key_id: keyId, public_key: publicKey });
  let previous = header.hash;
  yield bytesOf(header.line);
  let count = 0;
  for await (const { kind, at, body } of records) {
    signal?.throwIfAborted();
    count += 1;
    // The contract's type of a body is JSON; what a record kind gives is checked when it is written.
    const { line, hash } = recordLine({ n: count, kind, at, body: body as never, previous });
    previous = hash;
    yield bytesOf(line);
  }
  signal?.throwIfAborted();
  yield bytesOf(endLine({ n: count + 1, count, root: previous, signature: sign(previous) }));
}

function bytesOf(line: string): Buffer {
  const bytes = Buffer.from(`${line}\n`);
  if (bytes.length > maxLineBytes) throw new RangeError('a record is too large for a line of a bundle');
  return bytes;
}
