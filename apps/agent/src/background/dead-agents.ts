// Makes the work of dead agents due again. Every agent looks; one claims each dead agent, by a conditional update.

import type { Log } from '@pilothouse/process';
import type { Store } from '@pilothouse/store';
import { Counter, type Registry } from 'prom-client';
import { always, type IsNeeded, startRepeating } from '../common/repeat.ts';

type Options = {
  store: Store;
  agentId: string;
  leaseMs: number;
  log: Log;
  metrics: Registry;
  onDue: () => void;
  isNeeded?: IsNeeded;
};

const everyMs = 500;
/** After a restart of the database every lock is free for a moment, so an agent is dead only if it stays away. */
const missingForMs = 1000;

export function startRecovery({ store, onDue, agentId, leaseMs, log, metrics, isNeeded = always }: Options) {
  const { agents, tasks } = createCounters(metrics);
  const missingSince = new Map<string, number>();

  async function look(): Promise<void> {
    const missing = (await isNeeded()) ? await store.agents.missing(agentId, leaseMs) : [];
    for (const id of missingSince.keys()) if (!missing.includes(id)) missingSince.delete(id);
    for (const id of missing) {
      const since = missingSince.get(id) ?? performance.now();
      missingSince.set(id, since);
      if (performance.now() - since < missingForMs || !(await store.agents.claim(id, agentId, leaseMs))) continue;
      const count = await store.queue.recover(id);
      agents.inc();
      tasks.inc(count);
      if (count > 0) onDue();
      log.warn({ agent_id: id, tasks: count }, 'recovered the work of a dead agent');
    }
  }

  return startRepeating(look, everyMs, (error) => log.warn({ err: error }, 'could not look for dead agents'));
}

function createCounters(metrics: Registry) {
  const counter = (name: string, help: string) => new Counter({ name, help, registers: [metrics] });
  return {
    agents: counter(
      'pilothouse_agents_recovered_total',
      'Agents that were gone or stopped, and whose work this agent took.',
    ),
    tasks: counter('pilothouse_tasks_recovered_total', 'Tasks of such agents, which are due again.'),
  };
}
