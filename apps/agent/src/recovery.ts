import type { Log } from '@pilothouse/process';
import type { Store } from '@pilothouse/store';
import type { Engine } from './engine.ts';

type Options = { store: Store; engine: Engine; agentId: string; log: Log };

const everyMs = 500;
/** After a restart of the database every lock is free for a moment: only who stays away is gone. */
const missingForMs = 1500;

/** Holds the sign of our own life, and takes up the work of agents that show none. */
export async function startRecovery({ store, engine, agentId, log }: Options) {
  const missingSince = new Map<string, number>();
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
  void keep();

  async function look(): Promise<void> {
    const missing = await store.agents.missing(agentId);
    for (const id of missingSince.keys()) if (!missing.includes(id)) missingSince.delete(id);
    for (const id of missing) {
      const since = missingSince.get(id) ?? performance.now();
      missingSince.set(id, since);
      if (performance.now() - since < missingForMs || !(await store.agents.claim(id, agentId))) continue;
      const count = await engine.recover(id);
      log.warn({ agent_id: id, tasks: count }, 'recovered the work of an agent that is gone');
    }
  }

  let timer: NodeJS.Timeout;
  const turn = () => {
    look()
      .catch((error) => log.warn({ err: error }, 'could not look for agents that are gone'))
      .finally(() => {
        if (!isClosed) timer = setTimeout(turn, everyMs);
      });
  };
  turn();

  return {
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await presence.leave();
    },
  };
}

async function retry<T>(attempt: () => Promise<T>, isOver: () => boolean): Promise<T> {
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (isOver()) throw error;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}
