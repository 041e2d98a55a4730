// Answers NATS when it asks whether to let a host in, and ends connections of hosts. A connection of its own, in NATS's system
// account, with these two rights and no others: members of the bus can neither ask nor answer there.

import { errors, type Msg } from '@nats-io/nats-core';
import { type Credentials, openLink } from '../transport/link.ts';
import { waitFor } from '../wire/deadline.ts';
import {
  type AdmissionAsked,
  admissionSigner,
  answerTo,
  readAsked,
  type Signer,
  type Verdict,
} from './admission-tokens.ts';
import { readShown } from './host-key.ts';

/** What NATS asks on, and where its servers take the order to end a connection. */
export const askedSubject = '$SYS.REQ.USER.AUTH';
export const endSubject = '$SYS.REQ.SERVER.*.KICK';
export const arbiterQueue = 'arbiters';
/** Of the agent with the same id, under the same password. */
export const arbiterUser = (agentId: string) => `arbiter-${agentId}`;

/** A connection, as NATS numbers it. */
export interface BusConnection {
  server: string;
  number: number;
}

export interface Newcomer extends BusConnection {
  hostId: string;
  publicKey: string;
  /** Where it connects from, as NATS sees it. */
  address: string;
  isInvited: boolean;
}

export interface ArbiterOptions {
  servers: Credentials['servers'];
  password: Credentials['password'];
  agentId: string;
  signingSeed: string;
  joinKeys: readonly string[];
  /** Undefined: it may come in. Otherwise why not; the host does not hear it. */
  judge(newcomer: Newcomer): Promise<string | undefined>;
  onRefused(why: string, from: { address: string; hostId?: string }): void;
  onFailed(error: unknown): void;
  connectTimeoutMs?: number;
}

export interface Arbiter {
  /** Resolves when NATS has ended it, or knows of none. Rejects if that is not known. */
  end(connection: BusConnection): Promise<void>;
  close(): Promise<void>;
}

/** NATS waits for two seconds. */
const judgeMs = 1500;
/** More are not answered: NATS refuses them, and they come again. */
const mostAtOnce = 64;
const endMs = 2000;

export async function openArbiter(options: ArbiterOptions): Promise<Arbiter> {
  const { servers, password, agentId, connectTimeoutMs = 10_000 } = options;
  const user = arbiterUser(agentId);
  const wait = { timeoutMs: connectTimeoutMs };
  const link = await openLink('control', { servers, user, password, name: user }, () => {}, wait);
  const signer = admissionSigner(options.signingSeed);
  const underWay = new Set<Promise<void>>();

  const heard = link.nc.subscribe(askedSubject, {
    queue: arbiterQueue,
    callback: (error, msg) => {
      if (error) return options.onFailed(error);
      if (underWay.size >= mostAtOnce) return;
      const work = answer(msg, signer, options)
        .catch(options.onFailed)
        .finally(() => underWay.delete(work));
      underWay.add(work);
    },
  });
  await link.nc.flush();

  return {
    async end({ server, number }) {
      const order = JSON.stringify({ cid: number });
      const done = link.nc.request(endSubject.replace('*', server), order, { timeout: endMs });
      await done.catch((error: unknown) => {
        // A server that is gone has no connections.
        const isGone = error instanceof errors.RequestError && error.isNoResponders();
        if (!isGone && !(error instanceof errors.NoRespondersError)) throw error;
      });
    },
    async close() {
      heard.unsubscribe();
      await Promise.allSettled(underWay);
      await link.close(1000);
    },
  };
}

async function answer(msg: Msg, signer: Signer, options: ArbiterOptions): Promise<void> {
  const asked = readAsked(msg.string());
  if (!asked) return;
  const verdict = await judged(asked, options);
  msg.respond(answerTo(asked, verdict, signer));
}

async function judged(asked: AdmissionAsked, { joinKeys, judge, onRefused }: ArbiterOptions): Promise<Verdict> {
  const { client_info: client, connect_opts: shown, server_id: server } = asked;
  const who = readShown({ ...shown, nonce: client.nonce }, joinKeys);
  const from = { address: client.host, hostId: who?.hostId };
  const newcomer = who && { ...who, address: client.host, server: server.id, number: client.id };
  const refusal = newcomer ? await waitFor(judge(newcomer), { timeoutMs: judgeMs }) : 'it holds no key of a host';
  if (refusal !== undefined) onRefused(refusal, from);
  return refusal === undefined && who ? { hostId: who.hostId } : { refusal: refusal ?? '' };
}
