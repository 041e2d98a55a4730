// Shows other agents that this one lives: by a lock on a connection of its own, and by a beat in its row. The beat also
// says whether this agent hears hosts: only then does the silence of a host mean anything.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Bus } from '@pilothouse/bus';
import type { Log } from '@pilothouse/process';
import type { Store } from '@pilothouse/store';
import { Counter, type Registry } from 'prom-client';

type Options = {
  store: Store;
  bus: Pick<Bus, 'ping'>;
  agentId: string;
  /** The models that it may ask: servers tell callers of them. */
  models?: readonly string[];
  leaseMs: number;
  /** The lease of hosts, and how long agents must have heard hosts before they believe that one is gone. */
  hostLeaseMs: number;
  log: Log;
  metrics: Registry;
};

const beatsPerLease = 5;
const retryMs = 200;

/** Call it before the agent takes any work: the work of an agent that is not in the table would never be recovered. */
export async function showPresence(options: Options) {
  const { store, bus, agentId, models = [], leaseMs, hostLeaseMs, log, metrics } = options;
  const lost = createLostCounter(metrics);
  const beatMs = Math.min(leaseMs, hostLeaseMs) / beatsPerLease;
  // Hosts renew three times in a lease. So a break that could have cost a host its lease is longer than `validMs`.
  const hearing = { settleMs: hostLeaseMs, validMs: hostLeaseMs / 2 };
  let isClosed = false;
  let presence = await store.agents.enter(agentId, models);
  const keep = async () => {
    while (!isClosed) {
      await presence.lost;
      if (isClosed) return;
      lost.inc({ what: 'lock' });
      log.warn('lost the presence lock; taking it again');
      presence = await retry(
        () => store.agents.enter(agentId, models),
        () => isClosed,
      );
    }
  };
  // Rejects only when this agent stops.
  keep().catch((error) => log.debug({ err: error }, 'the presence lock is not taken again'));

  let beats: NodeJS.Timeout;
  const beat = async () => {
    let nextMs = beatMs;
    try {
      const isHearing = await bus.ping({ timeoutMs: beatMs / 2 });
      const { wasRecovered } = await store.agents.beat(agentId, { ...hearing, isHearing });
      if (wasRecovered) {
        lost.inc({ what: 'work' });
        log.warn('was taken for dead; other agents have its work');
      }
    } catch (error) {
      // If the beat does not arrive in time, other agents take over, as they should.
      log.warn({ err: error }, 'could not write the beat of this agent');
      nextMs = retryMs;
    }
    if (!isClosed) beats = setTimeout(beat, nextMs);
  };
  beats = setTimeout(beat, 0);

  return {
    async close() {
      isClosed = true;
      clearTimeout(beats);
      await presence.leave();
    },
  };
}

function createLostCounter(metrics: Registry): Counter<'what'> {
  const lost = new Counter({
    name: 'pilothouse_agent_leases_lost_total',
    help: 'How often this agent lost its lock in the database, and how often others took its work because it was silent.',
    labelNames: ['what'],
    registers: [metrics],
  });
  for (const what of ['lock', 'work']) lost.inc({ what }, 0);
  return lost;
}

async function retry<T>(attempt: () => Promise<T>, isOver: () => boolean): Promise<T> {
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (isOver()) throw error;
      await sleep(retryMs);
    }
  }
}
