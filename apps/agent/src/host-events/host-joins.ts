// Lets browser hosts in that have no user on the bus, where the operator allows it, and ends the connections of those that were
// removed or replaced. Any agent may be asked; the database holds who is in.

import { type Credentials, type Newcomer, openArbiter } from '@pilothouse/bus';
import type { Log } from '@pilothouse/process';
import type { JoinBounds, JoinRefusal, Store } from '@pilothouse/store';
import { startRepeating } from '../common/repeat.ts';
import { createJoinTurns } from './join-turns.ts';

export type JoinSettings = JoinBounds & {
  /** Public keys; who holds the other half of one may bring new hosts. */
  joinKeys: readonly string[];
  /** Signs what is answered to NATS, which knows the other half. */
  signingSeed: string;
};
type Options = {
  store: Pick<Store, 'transaction' | 'hostJoins'>;
  log: Log;
  bus: Pick<Credentials, 'servers' | 'user' | 'password'>;
  joins: JoinSettings;
  everyMs?: number;
};

const reasons: Record<JoinRefusal, string> = {
  ended: 'it was removed, or replaced while it was away',
  uninvited: 'it holds no key of HOST_JOIN_KEYS, and was not here before',
  full: 'all places are taken: HOST_JOIN_MAX',
  address_taken: 'a host from its address is here already: HOST_JOIN_PER_ADDRESS',
  too_many: 'it opens connections faster than they are ended',
};
/** One that is refused comes again every two seconds. */
const saysAgainMs = 30_000;

export async function startHostJoins({ store, log, bus, joins, everyMs = 2000 }: Options) {
  const { joinKeys, signingSeed, most, perAddress } = joins;
  const saidAt = new Map<string, number>();
  /** Once in a while for each reason: anyone who reaches the bus can be refused as often as they like. */
  function onceInAWhile(why: string, say: () => void): void {
    const now = performance.now();
    if (now - (saidAt.get(why) ?? Number.NEGATIVE_INFINITY) < saysAgainMs) return;
    saidAt.set(why, now);
    say();
  }
  const onRefused = (why: string, from: { address: string; hostId?: string }) =>
    onceInAWhile(why, () => log.warn({ address: from.address, host_id: from.hostId, why }, 'a host may not join'));
  const turns = createJoinTurns();
  let known: ReadonlySet<string> = new Set();
  const judge = async (newcomer: Newcomer): Promise<string | undefined> => {
    const { hostId, address } = newcomer;
    const judged = await turns.take({ address, isKnown: known.has(hostId) }, () =>
      store.transaction((tx) => store.hostJoins.admit(tx, newcomer, { most, perAddress })),
    );
    if (!judged) return 'too many want to join at once';
    const refusal = judged.verdict;
    if (!refusal) log.debug({ host_id: hostId, address }, 'a host is let in');
    return refusal && reasons[refusal];
  };
  const arbiter = await openArbiter({
    servers: bus.servers,
    password: bus.password,
    agentId: bus.user.replace(/^agent-/, ''),
    signingSeed,
    joinKeys,
    judge,
    onRefused,
    onFailed: (error) =>
      onceInAWhile('failed', () => log.warn({ err: error }, 'could not judge a host that wants to join')),
  });
  const ends = startRepeating(
    async () => {
      known = new Set(await store.hostJoins.ids());
      for (const connection of await store.hostJoins.toEnd()) {
        await arbiter.end(connection);
        await store.hostJoins.hasEnded(connection);
        log.info(connection, 'ended a connection of a host that was removed or has too many');
      }
    },
    everyMs,
    (error) => log.warn({ err: error }, 'could not look which hosts have joined, or end connections of theirs'),
  );

  return {
    async close() {
      await ends.close();
      await arbiter.close();
    },
  };
}
