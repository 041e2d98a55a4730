// Keys that sign bundles (Ed25519), and the check of their signatures. Never shows a private key, nor writes one.

import {
  createHash,
  createPrivateKey,
  createPublicKey,
  hkdfSync,
  type KeyObject,
  sign as signBytes,
  verify as verifyBytes,
} from 'node:crypto';
import { signedText } from './format.ts';

export type EvidenceSigner = {
  keyId: string;
  /** The 32 bytes in base64. */
  publicKey: string;
  /** The signature of a bundle with this root, in base64. */
  sign(root: string): string;
};

const seedBytes = 32;
/** What comes before the seed in a private key as PKCS #8 (RFC 8410). */
const pkcs8Head = Buffer.from('302e020100300506032b657004220420', 'hex');
const derivedFor = 'pilothouse evidence signing key 1';

export function signerOf(seed: Uint8Array): EvidenceSigner {
  if (seed.length !== seedBytes) throw new RangeError(`a seed has ${seedBytes} bytes`);
  const key = createPrivateKey({ key: Buffer.concat([pkcs8Head, seed]), format: 'der', type: 'pkcs8' });
  const publicKey = rawOf(createPublicKey(key));
  return {
    keyId: keyIdOf(publicKey),
    publicKey,
    sign: (root) => signBytes(null, Buffer.from(signedText(root)), key).toString('base64'),
  };
}

/** A seed from another secret of the installation. It says nothing about that secret. */
export const deriveSeed = (secret: Uint8Array): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', secret, new Uint8Array(), derivedFor, seedBytes));

/** The seed of a key in PEM (PKCS #8), or of 32 bytes in base64. Undefined if it is neither. */
export function readSeed(text: string): Uint8Array | undefined {
  if (!text.includes('-----BEGIN')) return bytesOfBase64(text.trim(), seedBytes);
  try {
    const key = createPrivateKey(text);
    const { d = '' } = key.asymmetricKeyType === 'ed25519' ? key.export({ format: 'jwk' }) : {};
    return d === '' ? undefined : Buffer.from(d, 'base64url');
  } catch {
    return undefined;
  }
}

/** The public key of a PEM, or of 32 bytes in base64, as 32 bytes in base64. Undefined if it is neither. */
export function readPublicKey(text: string): string | undefined {
  if (!text.includes('-----BEGIN')) return bytesOfBase64(text.trim(), seedBytes)?.toString('base64');
  try {
    const key = createPublicKey(text);
    return key.asymmetricKeyType === 'ed25519' ? rawOf(key) : undefined;
  } catch {
    return undefined;
  }
}

/** A name for a key. Compare whole keys where it matters. */
export const keyIdOf = (publicKey: string): string =>
  createHash('sha256').update(Buffer.from(publicKey, 'base64')).digest('hex').slice(0, 32);

/** Whether the signature is of this key, and is written in the one way that there is. */
export function isSignedBy(publicKey: string, root: string, signature: string): boolean {
  const [raw, bytes] = [bytesOfBase64(publicKey, seedBytes), bytesOfBase64(signature, 64)];
  if (!raw || !bytes) return false;
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: raw.toString('base64url') };
  try {
    return verifyBytes(null, Buffer.from(signedText(root)), createPublicKey({ key: jwk, format: 'jwk' }), bytes);
  } catch {
    return false;
  }
}

const rawOf = (key: KeyObject): string =>
  Buffer.from(key.export({ format: 'jwk' }).x ?? '', 'base64url').toString('base64');

/** Buffer skips characters that are not base64: only text that it would write itself counts. */
function bytesOfBase64(text: string, length: number): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64');
  return bytes.length === length && bytes.toString('base64') === text ? bytes : undefined;
}
