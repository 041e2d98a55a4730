// Signs and verifies by keys in NATS's spelling, with the system's Ed25519. The library's own takes milliseconds for each, and who
// reaches the bus may have an agent verify as often as they like.

import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';

/** What stands before a bare key in the form that node:crypto reads: PKCS #8 and SPKI. */
const privateHead = Buffer.from('302e020100300506032b657004220420', 'hex');
const publicHead = Buffer.from('302a300506032b6570032100', 'hex');
const keyBytes = 32;

export function isSignedBy(publicKey: string, text: Uint8Array, signature: string): boolean {
  try {
    return verify(null, text, publicKeyObject(publicKey), Buffer.from(signature, 'base64'));
  } catch {
    // What is no key, or no signature at all.
    return false;
  }
}

/** A seed has two bytes before the key; the library has checked its sum. */
export function signerOf(seed: string): (text: string) => Buffer {
  const bare = fromBase32(seed).subarray(2, 2 + keyBytes);
  const key = createPrivateKey({ key: Buffer.concat([privateHead, bare]), format: 'der', type: 'pkcs8' });
  return (text) => sign(null, Buffer.from(text), key);
}

/** A public key has one. */
function publicKeyObject(publicKey: string): KeyObject {
  const bare = fromBase32(publicKey).subarray(1, 1 + keyBytes);
  return createPublicKey({ key: Buffer.concat([publicHead, bare]), format: 'der', type: 'spki' });
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

function fromBase32(text: string): Buffer {
  const bits = Array.from(text, (letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0')).join('');
  const bytes = bits.match(/[01]{8}/g) ?? [];
  return Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2)));
}
