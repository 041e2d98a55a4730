// The key of a browser host that has no user in the configuration of the bus. The host makes it at its start, keeps it in memory, and
// is called by it: no one else can sign in under that id. The key of the installation for new hosts says that it may come at all.

import { createHash } from 'node:crypto';
import { nkeys } from '@nats-io/nats-core';
import type { Prove } from '../transport/link.ts';
import { isSignedBy } from './nkey.ts';

export interface HostKey {
  hostId: string;
  prove: Prove;
}

/** What a host shows when it signs in. NATS gives each connection another nonce, so that none of it can be shown again. */
export interface Shown {
  nonce?: string;
  nkey?: string;
  sig?: string;
  auth_token?: string;
}

/** Throws if it is not the seed of a key. */
export function publicKeyOf(seed: string): string {
  return nkeys.fromSeed(Buffer.from(seed)).getPublicKey();
}

/** Keys of an installation: one admits new hosts, and one signs what agents decide. */
export function newSeed(kind: 'join' | 'signing'): string {
  const made = kind === 'join' ? nkeys.createUser() : nkeys.createAccount();
  return Buffer.from(made.getSeed()).toString();
}

/** `join-` and 128 bits of the hash of the public key. */
export function hostIdOf(publicKey: string): string {
  return `join-${createHash('sha256').update(publicKey).digest('hex').slice(0, 32)}`;
}

/** Throws if it is not the seed of a key by which hosts may come. */
export function newHostKey(joinSeed: string): HostKey {
  const join = nkeys.fromSeed(Buffer.from(joinSeed));
  if (!join.getPublicKey().startsWith('U')) throw new TypeError('this key is for something else');
  const own = nkeys.createUser();
  const publicKey = own.getPublicKey();
  return {
    hostId: hostIdOf(publicKey),
    prove: (nonce = '') => ({
      nkey: publicKey,
      sig: nkeys.encode(own.sign(Buffer.from(nonce))),
      auth_token: nkeys.encode(join.sign(invitationOf(nonce, publicKey))),
    }),
  };
}

/** Bound to the connection and to the host's key: who overhears it can do nothing with it. */
const invitationOf = (nonce: string, publicKey: string) => Buffer.from(`pilothouse host ${nonce} ${publicKey}`);

/**
 * Who it is; undefined unless it holds the key that it names. `isInvited`: it also holds a key by which new hosts may come.
 */
export function readShown(
  { nonce, nkey, sig, auth_token: invitation }: Shown,
  joinKeys: readonly string[],
): { hostId: string; publicKey: string; isInvited: boolean } | undefined {
  // Without a nonce what is shown could be shown again.
  if (!nonce || !nkey || !sig || !/^U[A-Z2-7]{55}$/.test(nkey)) return undefined;
  if (!isSignedBy(nkey, Buffer.from(nonce), sig)) return undefined;
  const isInvited =
    invitation !== undefined && joinKeys.some((key) => isSignedBy(key, invitationOf(nonce, nkey), invitation));
  return { hostId: hostIdOf(nkey), publicKey: nkey, isInvited };
}
