// The signed tokens in which NATS asks whom to let in, and in which it is answered. Its form of JWT: Ed25519 by NATS's own keys.

import { createHash } from 'node:crypto';
import { z } from 'zod';
import { replyWindowMs } from '../transport/request.ts';
import { publicKeyOf } from './host-key.ts';
import { signerOf } from './nkey.ts';
import { permissionsOf } from './permissions.ts';

/** Only what is read of it. */
const AdmissionAsked = z.object({
  nats: z.object({
    server_id: z.object({ id: z.string().min(1) }),
    /** A name for this one answer. */
    user_nkey: z.string().min(1),
    client_info: z.object({ id: z.number(), host: z.string().default(''), nonce: z.string().optional() }),
    connect_opts: z.object({
      nkey: z.string().optional(),
      sig: z.string().optional(),
      auth_token: z.string().optional(),
    }),
  }),
});
export type AdmissionAsked = z.output<typeof AdmissionAsked>['nats'];

/**
 * The signature is not looked at: only NATS itself can publish in its system account, and with which key it signs there is nothing
 * that an agent knows.
 */
export function readAsked(token: string): AdmissionAsked | undefined {
  try {
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    return AdmissionAsked.parse(claims).nats;
  } catch {
    return undefined;
  }
}

export type Verdict = { hostId: string } | { refusal: string };

export type Signer = { issuer: string; sign(text: string): Buffer };
/** Made once: finding the public half takes longer than a signature. */
export const admissionSigner = (seed: string): Signer => ({ issuer: publicKeyOf(seed), sign: signerOf(seed) });

/** Lets the host in with the permissions that any host has, or refuses it. */
export function answerTo(asked: AdmissionAsked, verdict: Verdict, signer: Signer): string {
  const about = { sub: asked.user_nkey, aud: asked.server_id.id };
  const said = 'refusal' in verdict ? { error: verdict.refusal } : { jwt: userToken(asked, verdict.hostId, signer) };
  return sign({ ...about, nats: { ...said, type: 'authorization_response', version: 2 } }, signer);
}

/** NATS's default account, where every member is. */
const account = '$G';

function userToken({ user_nkey: sub }: AdmissionAsked, hostId: string, signer: Signer): string {
  const { user, publish, subscribe, noSubscribe, answers } = permissionsOf({ role: 'host', id: hostId });
  const unlimited = { subs: -1, data: -1, payload: -1 };
  const nats = {
    pub: { allow: publish },
    sub: { allow: subscribe, ...(noSubscribe.length > 0 && { deny: noSubscribe }) },
    ...(answers && { resp: { max: 1, ttl: replyWindowMs * 1_000_000 } }),
    ...unlimited,
    type: 'user',
    version: 2,
  };
  return sign({ name: user, sub, aud: account, nats }, signer);
}

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

function sign(claims: Record<string, unknown>, signer: Signer): string {
  const whole = { ...claims, iss: signer.issuer, iat: Math.floor(Date.now() / 1000) };
  const jti = createHash('sha256').update(JSON.stringify(whole)).digest('base64url');
  const text = `${encode({ typ: 'JWT', alg: 'ed25519-nkey' })}.${encode({ ...whole, jti })}`;
  return `${text}.${signer.sign(text).toString('base64url')}`;
}
