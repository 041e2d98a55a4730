// Bundles for tests, made from a number: the same number makes the same bundle.

import { createCipheriv } from 'node:crypto';
import type { EvidenceHeader } from '@pilothouse/contract';
import {
  type EvidenceSigner,
  formatName,
  formatVersion,
  type NewRecord,
  sha256,
  signerOf,
  writeBundle,
} from '../src/index.ts';

export const testSigner: EvidenceSigner = signerOf(new Uint8Array(32).fill(7));

export const testHead: Omit<EvidenceHeader, 'key_id' | 'public_key'> = {
  format: formatName,
  version: formatVersion,
  task: {
    id: '01890a5d-ac96-774b-bcce-b302099a8057',
    session_id: '01890a5d-ac96-774b-bcce-b302099a8058',
    title: 'A lantern · “rødt” 灯',
    status: 'success',
  },
  state: 'finished',
  made_at: '2026-01-02T03:04:05.678Z',
  made_for: { id: '01890a5d-ac96-774b-bcce-b302099a8059', name: 'ada' },
};

/** Bytes that look random, and are the same each time. */
export const bytesFrom = (seed: number, length: number): Buffer =>
  createCipheriv('aes-256-ctr', Buffer.alloc(32, seed), Buffer.alloc(16, seed >> 8)).update(Buffer.alloc(length));

/** A task, and acts with a picture after each. */
export async function* recordsOf(acts: number, pictureBytes: number): AsyncGenerator<NewRecord> {
  const at = '2026-01-02T03:04:05.000Z';
  yield { kind: 'task', at, body: { prompt: 'Buy a lantern\n“two” if they are below 1.5e3', max_cost: 0.1 } };
  let before: object | null = null;
  for (let index = 1; index <= acts; index += 1) {
    const image = bytesFrom(index, pictureBytes);
    const hash = sha256(image);
    yield { kind: 'picture', at, body: { sha256: hash, type: 'image/jpeg', base64: image.toString('base64') } };
    const after = { sha256: hash, content_type: 'image/jpeg', recorded_at: at };
    yield { kind: 'act', at, body: { index, step: { action: 'click', target: 'Buy' }, pictures: { before, after } } };
    before = after;
  }
  yield { kind: 'outcome', at, body: { status: 'success' } };
}

export async function bundleOf(acts: number, pictureBytes: number, signer = testSigner): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(writeBundle(testHead, recordsOf(acts, pictureBytes), { signer })));
}

/** The bytes in pieces, as they come from a disk or a network. */
export async function* inPieces(bytes: Uint8Array, size = 64 * 1024): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
