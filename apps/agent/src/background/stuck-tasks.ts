// The safety net below recovery: finds open tasks that no agent works on, for whatever reason. It should never find any,
// so what it finds is counted and logged as an error.

import type { Log } from '@pilothouse/process';
import type { Store, StuckTask } from '@pilothouse/store';
import { Counter, type Registry } from 'prom-client';
import { startRepeating } from '../common/repeat.ts';

type Options = {
  store: Store;
  log: Log;
  metrics: Registry;
  everyMs?: number;
  /** How long a task may show no progress. */
  afterMs?: number;
};

export function startStuckTasks({ store, log, metrics, everyMs = 5000, afterMs = 10_000 }: Options) {
  const caught = new Counter({
    name: 'pilothouse_stuck_tasks_caught_total',
    help: 'Tasks that no agent would have continued, by what was done about it. Anything but 0 is worth a look.',
    labelNames: ['how'],
    registers: [metrics],
  });
  for (const how of ['recovered', 'begun_anew']) caught.inc({ how }, 0);

  /** Every agent looks; only one makes the task due. */
  function release({ id, sessionId }: StuckTask): Promise<boolean> {
    return store.change(sessionId, async (tx, append) => {
      if (!(await store.stuck.release(tx, id, afterMs))) return false;
      const message = 'No agent worked on the task, so it was started again.';
      await store.logs.append(append, { taskId: id, level: 'warn', message });
      return true;
    });
  }

  async function look(): Promise<void> {
    for (const stuck of await store.stuck.find(afterMs)) {
      if (!(await release(stuck))) continue;
      const { id: task_id, goneAgentId: agent_id } = stuck;
      caught.inc({ how: agent_id ? 'recovered' : 'begun_anew' });
      log.error({ task_id, agent_id }, 'restarted a task that no agent worked on');
    }
  }

  return startRepeating(look, everyMs, (error) => log.warn({ err: error }, 'could not look for stuck tasks'));
}
