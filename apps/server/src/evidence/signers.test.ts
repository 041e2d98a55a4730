import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deriveSeed, signerOf } from '@pilothouse/evidence';
import { evidenceSignersOf } from './signers.ts';

const [one, other] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)];
const idsOf = (keys: Parameters<typeof evidenceSignersOf>[0]) => evidenceSignersOf(keys).map(({ keyId }) => keyId);

test('keys of evidence are used as they are given, and else derived from those of profiles', () => {
  assert.deepEqual(idsOf({ evidenceSeeds: [other], profileKeys: [one] }), [signerOf(other).keyId]);
  const derived = [signerOf(deriveSeed(one)).keyId, signerOf(deriveSeed(other)).keyId];
  assert.deepEqual(idsOf({ evidenceSeeds: [], profileKeys: [one, other] }), derived);
  assert.deepEqual(idsOf({ evidenceSeeds: [], profileKeys: [] }), []);
});
