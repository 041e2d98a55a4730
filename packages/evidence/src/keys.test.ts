import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import { deriveSeed, isSignedBy, keyIdOf, readPublicKey, readSeed, signerOf } from './keys.ts';

const root = 'a'.repeat(64);

test('a seed in base64 and the same key in PEM are one signer', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
  const seed = readSeed(pem);
  assert.ok(seed);
  const signer = signerOf(seed);
  assert.deepEqual(readSeed(`${Buffer.from(seed).toString('base64')}\n`), Buffer.from(seed));
  assert.equal(readPublicKey(publicKey.export({ format: 'pem', type: 'spki' }).toString()), signer.publicKey);
  assert.equal(readPublicKey(signer.publicKey), signer.publicKey);
  assert.equal(signer.keyId, keyIdOf(signer.publicKey));
  assert.ok(isSignedBy(signer.publicKey, root, signer.sign(root)));
});

test('RFC 8032 has the same public key for its first seed', () => {
  const seed = Buffer.from('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60', 'hex');
  const known = Buffer.from('d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a', 'hex');
  assert.equal(signerOf(seed).publicKey, known.toString('base64'));
});

test('a derived seed is the same for the same secret, another for another, and not the secret', () => {
  const [one, other] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
  assert.deepEqual(deriveSeed(one), deriveSeed(one));
  assert.notDeepEqual(deriveSeed(one), deriveSeed(other));
  assert.notDeepEqual(Buffer.from(deriveSeed(one)), one);
});

test('what is no Ed25519 key is not taken for one', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  for (const text of [
    '',
    'short',
    privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
    '-----BEGIN nothing',
  ])
    assert.equal(readSeed(text), undefined);
  assert.equal(readPublicKey(publicKey.export({ format: 'pem', type: 'spki' }).toString()), undefined);
});

test('a signature of another key, of another root or written otherwise is none', () => {
  const [one, other] = [signerOf(Buffer.alloc(32, 1)), signerOf(Buffer.alloc(32, 2))];
  const signature = one.sign(root);
  assert.ok(isSignedBy(one.publicKey, root, signature));
  assert.ok(!isSignedBy(other.publicKey, root, signature));
  assert.ok(!isSignedBy(one.publicKey, 'b'.repeat(64), signature));
  // The last character before the padding has four bits that mean nothing: they may not change either.
  const last = signature.at(-3) ?? '';
  const sameBytes = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'].find((letter) => {
    const changed = `${signature.slice(0, -3)}${letter}==`;
    return letter !== last && Buffer.from(changed, 'base64').equals(Buffer.from(signature, 'base64'));
  });
  assert.ok(sameBytes);
  assert.ok(!isSignedBy(one.publicKey, root, `${signature.slice(0, -3)}${sameBytes}==`));
});
