// Lets browser hosts in that have no user on the bus, where the operator allows it, and ends the connections of those that were
// removed or replaced. Any agent may be asked; the database holds who is in.

import { type Credentials, type Newcomer, openArbiter } from '@pilothouse/bus';
import type { Log } from '@pilothouse/process';
import type { JoinBounds, JoinRefusal, Store } from '@pilothouse/store';
import { startRepeating } from '../common/repeat.ts';

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
/** Each has a connection of the database, which the work of tasks needs too. Who is not judged comes again. */
const judgedAtOnce = 3;
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
  let judging = 0;
  const judge = async (newcomer: Newcomer): Promise<string | undefined> => {
    if (judging >= judgedAtOnce) return 'too many want to join at once';
    judging += 1;
    try {
      const refusal = await store.transaction((tx) => store.hostJoins.admit(tx, newcomer, { most, perAddress }));
      if (!refusal) log.debug({ host_id: newcomer.hostId, address: newcomer.address }, 'a host is let in');
      return refusal && reasons[refusal];
    } finally {
      judging -= 1;
    }
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
      for (const connection of await store.hostJoins.toEnd()) {
        await arbiter.end(connection);
        await store.hostJoins.hasEnded(connection);
        log.info(connection, 'ended a connection of a host that was removed or has too many');
      }
    },
    everyMs,
    (error) => log.warn({ err: error }, 'could not end connections of hosts'),
  );

  return {
    async close() {
      await ends.close();
      await arbiter.close();
    },
  };
}
