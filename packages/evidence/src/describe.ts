// Says in one sentence what the verifier found. Never repeats text of the bundle but ids, times and words of ours.

import { keyIdOf } from './keys.ts';
import type { Fault, Verified } from './verify.ts';

export function describeVerdict(verdict: Verified | Fault): string {
  if (!verdict.isWhole) return `CHANGED: line ${verdict.line} (${verdict.kind}) ${verdict.problem}.`;
  const { header, kinds, count, isKeyPinned } = verdict;
  const parts = Object.entries(kinds).map(([kind, many]) => `${many} ${kind}`);
  const state = header.state === 'finished' ? 'finished' : 'not finished when the bundle was made';
  const key = `key ${keyIdOf(header.public_key)}`;
  const signer = isKeyPinned
    ? `signed by ${key}, which you named`
    : `signed by ${key}, which only the bundle names: pass --key to check that it is the key of your installation`;
  return `UNCHANGED: ${count} records (${parts.join(', ')}) of task ${plain(header.task?.id)}, ${state}, made ${plain(header.made_at)}, ${signer}.`;
}

/** A terminal must not read commands in a file that anyone may have made. */
const plain = (value: unknown): string =>
  typeof value === 'string' && /^[\w.:-]{1,64}$/.test(value) ? value : 'unknown';
