// Reads the evidence of a task line by line, as it comes. Verifies nothing: save the bytes for that.

import type { EvidenceLine } from '@pilothouse/contract';
import type { CallOptions } from './call.ts';
import type { Client } from './client.ts';

/** A bundle with many pictures takes its time. */
const usualMs = 900_000;

/**
 * The lines of a bundle: header, records, end. Throws as every method of the client does, and a `SyntaxError` if the bundle
 * breaks off within a line; a bundle whose last line has no `signature` is not whole.
 */
export async function* readEvidence(
  client: Pick<Client, 'getTaskEvidence'>,
  input: { id: string },
  options: CallOptions = {},
): AsyncGenerator<EvidenceLine> {
  const { body } = await client.getTaskEvidence(input, { timeoutMs: usualMs, ...options });
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  // In parts: a line with a picture is megabytes, and comes in many pieces.
  let parts: string[] = [];
  try {
    for (let piece = await reader?.read(); piece && !piece.done; piece = await reader?.read()) {
      const [rest = '', ...next] = piece.value.split('\n');
      parts.push(rest);
      for (const begun of next) {
        yield JSON.parse(parts.join('')) as EvidenceLine;
        parts = [begun];
      }
    }
    const last = parts.join('');
    if (last !== '') yield JSON.parse(last) as EvidenceLine;
  } finally {
    // Left early, the rest is not loaded.
    await reader?.cancel();
  }
}
