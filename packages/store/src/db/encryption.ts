// Encrypts saved browser states and secrets.

import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

export type SealedBytes = { bytes: Buffer; keyId: string };
export type Sealer = ReturnType<typeof createSealer>;

const cipher = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/**
 * A reader of the database must not be able to use what is encrypted. The first key encrypts and all keys decrypt, so a
 * key is replaced by putting a new one in front. The ciphertext is bound to its owner: in another row it does not
 * decrypt.
 */
export function createSealer(keys: readonly Uint8Array[]) {
  const known = new Map(keys.map((key) => [nameOf(key), key]));
  const [first] = keys;

  return {
    /** Whether there is a key. */
    canSeal: first !== undefined,
    /** The names of the keys, as rows have them; the first seals. */
    keyIds: keys.map(nameOf),

    seal(value: object, belongsTo: string): SealedBytes {
      if (!first) throw new Error('there is no key to seal with: set PROFILE_KEY');
      const nonce = randomBytes(nonceBytes);
      const sealing = createCipheriv(cipher, first, nonce).setAAD(Buffer.from(belongsTo));
      const body = Buffer.concat([sealing.update(JSON.stringify(value), 'utf8'), sealing.final()]);
      return { bytes: Buffer.concat([nonce, sealing.getAuthTag(), body]), keyId: nameOf(first) };
    },

    open({ bytes, keyId }: SealedBytes, belongsTo: string): object {
      const key = known.get(keyId);
      if (!key) throw new Error(`the key ${keyId} is not among those of PROFILE_KEY`);
      const opening = createDecipheriv(cipher, key, bytes.subarray(0, nonceBytes))
        .setAAD(Buffer.from(belongsTo))
        .setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
      const body = bytes.subarray(nonceBytes + tagBytes);
      return JSON.parse(Buffer.concat([opening.update(body), opening.final()]).toString('utf8'));
    },
  };
}

/** Distinguishes keys, and reveals nothing about them. */
const nameOf = (key: Uint8Array) => createHash('sha256').update(key).digest('hex').slice(0, 16);

/** Both columns are set, or none. */
type SealedColumns = { sealed_state: Buffer | null; key_id: string | null };

export const sealedOf = ({ sealed_state, key_id }: SealedColumns): SealedBytes | undefined =>
  sealed_state && key_id ? { bytes: sealed_state, keyId: key_id } : undefined;

export const columnsOf = ({ bytes, keyId }: SealedBytes) => ({ sealed_state: bytes, key_id: keyId });
