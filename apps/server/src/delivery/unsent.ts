// Answers that were made and not read yet, of every kind: counted by user and by address before they are made, and cut
// if the peer reads nothing. Without it, a client that asks and does not read fills the memory of a server.

import type { Server, ServerResponse } from 'node:http';
import type { Log } from '@pilothouse/process';
import { type Caller, type Guest, isGuest } from '@pilothouse/store';
import { Counter, Gauge, type Registry } from 'prom-client';
import { addressGroupOf } from './address-group.ts';
import { CountedAnswer } from './counted-answer.ts';
import { createPeerProgress } from './peer-progress.ts';
import { type Bound, createUnsentAccounts, type UnsentAccount } from './unsent-accounts.ts';

/** How many bytes may wait for one user, and for one address, in this process. */
export type UnsentSettings = { perUserBytes: number; perAddressBytes: number };
type Options = UnsentSettings & {
  log: Log;
  metrics: Registry;
  /** A peer that reads nothing for this long is cut. */
  stallMs?: number;
  everyMs?: number;
};
type Requester = { ip: string; caller?: Caller | Guest };

/** Over a bound, only peers are cut that have read nothing for this long: a reader is not cut for others. */
const idleMs = 2000;

export function createUnsent(options: Options) {
  const { perUserBytes, perAddressBytes, log, metrics, stallMs = 10_000, everyMs = 1000 } = options;
  const accounts = createUnsentAccounts<CountedAnswer>();
  const known = new WeakMap<ServerResponse, CountedAnswer>();
  const progress = createPeerProgress();
  const cuts = createMetrics(metrics, accounts.totalBytes);

  const boundsOf = ({ ip, caller }: Requester): Bound[] => {
    const address = { key: `address ${addressGroupOf(ip)}`, most: perAddressBytes };
    if (!caller) return [address];
    return [address, { key: isGuest(caller) ? `share ${caller.shareId}` : `user ${caller.id}`, most: perUserBytes }];
  };

  function cut({ response }: CountedAnswer): void {
    cuts.inc({ why: 'bound' });
    // With a reset, so that the kernel drops what it holds for the peer, too.
    response.socket?.resetAndDestroy();
    response.destroy();
  }
  /** An answer may grow after it was let in, so bounds are checked again. The longest idle peers are cut first. */
  function enforce({ most, total, answers }: UnsentAccount<CountedAnswer>): void {
    if (total <= most) return;
    const idle = [...answers]
      .map((answer) => ({ answer, stalledMs: progress.stalledMs(answer.response.socket) }))
      .filter(({ stalledMs }) => stalledMs >= idleMs)
      .sort((one, other) => other.stalledMs - one.stalledMs);
    let left = total;
    for (const { answer } of idle) {
      if (left <= most) break;
      left -= answer.counted;
      cut(answer);
    }
  }
  async function look(): Promise<void> {
    await progress.look();
    for (const socket of progress.sockets()) {
      if (progress.stalledMs(socket) < stallMs) continue;
      cuts.inc({ why: 'stalled' });
      socket.resetAndDestroy();
    }
    for (const answer of accounts.answers()) answer.recount();
    for (const account of accounts.all()) enforce(account);
  }
  let isLooking = false;
  // One timer for all: answers are many.
  const timer = setInterval(() => {
    if (isLooking) return;
    isLooking = true;
    look()
      .catch((error) => log.warn({ err: error }, 'could not look at unread answers'))
      .finally(() => {
        isLooking = false;
      });
  }, everyMs).unref();

  return {
    /** Every connection of the server, whatever is answered on it. */
    follow: (server: Server) => void server.on('connection', progress.follow),

    /** The same object for every call with this response. */
    of(response: ServerResponse, requester: Requester): CountedAnswer {
      const answer = known.get(response) ?? new CountedAnswer(accounts, response, boundsOf(requester));
      known.set(response, answer);
      return answer;
    },

    close: () => clearInterval(timer),
  };
}
export type Unsent = ReturnType<typeof createUnsent>;

function createMetrics(metrics: Registry, totalBytes: () => number) {
  new Gauge({
    name: 'pilothouse_unsent_bytes',
    help: 'Bytes of answers that are made or queued and not taken yet.',
    registers: [metrics],
    collect() {
      this.set(totalBytes());
    },
  });
  return new Counter({
    name: 'pilothouse_answers_cut_total',
    help: 'Connections that were cut: because the peer took nothing, or too much waited for its user or address.',
    labelNames: ['why'],
    registers: [metrics],
  });
}
