import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { createSealer } from './encryption.ts';

const [older, newer] = [randomBytes(32), randomBytes(32)];
const cookie = { storage: { cookies: [{ name: 'sid', value: 'secret-5a1e' }] }, pages: [] };

test('a sealed value can be opened, and its bytes show nothing of it', () => {
  const sealer = createSealer([older]);
  const sealed = sealer.seal(cookie, 'session 1');
  assert.deepEqual(sealer.open(sealed, 'session 1'), cookie);
  assert.ok(!sealed.bytes.includes('secret-5a1e'));
  assert.notDeepEqual(sealer.seal(cookie, 'session 1').bytes, sealed.bytes, 'never twice the same');
});

test('a new key in front seals, and the one before still opens', () => {
  const sealed = createSealer([older]).seal(cookie, 'session 1');
  const rotated = createSealer([newer, older]);
  assert.deepEqual(rotated.open(sealed, 'session 1'), cookie);
  assert.notEqual(rotated.seal(cookie, 'session 1').keyId, sealed.keyId);
  assert.throws(() => createSealer([newer]).open(sealed, 'session 1'), /is not among those of PROFILE_KEY/);
});

test('bytes that were changed, cut or moved to another row do not open', () => {
  const sealer = createSealer([older]);
  const { bytes, keyId } = sealer.seal(cookie, 'session 1');
  assert.throws(() => sealer.open({ bytes, keyId }, 'session 2'));
  assert.throws(() => sealer.open({ bytes: bytes.subarray(0, -1), keyId }, 'session 1'));
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ 1;
    assert.throws(() => sealer.open({ bytes: changed, keyId }, 'session 1'), `byte ${at}`);
  }
});

test('without a key nothing is sealed', () => {
  const sealer = createSealer([]);
  assert.equal(sealer.canSeal, false);
  assert.throws(() => sealer.seal(cookie, 'session 1'), /PROFILE_KEY/);
});
