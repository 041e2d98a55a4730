import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '@pilothouse/process';
import type { Store } from '@pilothouse/store';
import type { Engine } from './engine.ts';
import { startRounds } from './rounds.ts';

type PresenceOptions = { store: Store; agentId: string; leaseMs: number; log: Log };
type RecoveryOptions = PresenceOptions & { engine: Engine };

const everyMs = 300;
/** After a restart of the database every lock is free for a moment: only who stays away is gone. */
const missingForMs = 1000;
const beatsALease = 5;
const tryAgainMs = 200;

/** Shows that this agent lives. Before any work is taken: what an agent held that nobody knew, nobody would take up. */
export async function showPresence({ store, agentId, leaseMs, log }: PresenceOptions) {
  let isClosed = false;
  let presence = await store.agents.enter(agentId);
  const keep = async () => {
    while (!isClosed) {
      await presence.lost;
      if (isClosed) return;
      log.warn('lost the sign of life; taking it again');
      presence = await retry(
        () => store.agents.enter(agentId),
        () => isClosed,
      );
    }
  };
  // Ends with an error only where this agent ends.
  keep().catch((error) => log.debug({ err: error }, 'the sign of life is not taken again'));

  let beats: NodeJS.Timeout;
  const beat = async () => {
    let nextMs = leaseMs / beatsALease;
    try {
      const { wasRecovered } = await store.agents.beat(agentId);
      if (wasRecovered) log.warn('was taken for dead; what it held is with others');
    } catch (error) {
      // Where it does not come in time others take over, which is what this is for.
      log.warn({ err: error }, 'could not say that this agent works');
      nextMs = tryAgainMs;
    }
    if (!isClosed) beats = setTimeout(beat, nextMs);
  };
  beats = setTimeout(beat, leaseMs / beatsALease);

  return {
    async close() {
      isClosed = true;
      clearTimeout(beats);
      // Others may be quick to go on, and the database away.
      await store.tasks.giveBack(agentId).catch((error) => log.debug({ err: error }, 'could not give tasks back'));
      await presence.leave();
    },
  };
}

/** Takes up the work of agents that show no sign of life. */
export function startRecovery({ store, engine, agentId, leaseMs, log }: RecoveryOptions) {
  const missingSince = new Map<string, number>();

  async function look(): Promise<void> {
    const missing = await store.agents.missing(agentId, leaseMs);
    for (const id of missingSince.keys()) if (!missing.includes(id)) missingSince.delete(id);
    for (const id of missing) {
      const since = missingSince.get(id) ?? performance.now();
      missingSince.set(id, since);
      if (performance.now() - since < missingForMs || !(await store.agents.claim(id, agentId, leaseMs))) continue;
      const count = await engine.recover(id);
      log.warn({ agent_id: id, tasks: count }, 'recovered the work of an agent that is gone');
    }
  }

  return startRounds(look, everyMs, (error) => log.warn({ err: error }, 'could not look for agents that are gone'));
}

async function retry<T>(attempt: () => Promise<T>, isOver: () => boolean): Promise<T> {
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (isOver()) throw error;
      await sleep(tryAgainMs);
    }
  }
}
