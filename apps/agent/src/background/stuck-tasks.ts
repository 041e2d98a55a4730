// The safety net below recovery: finds open tasks that no agent works on, for whatever reason. It should never find any,
// so what it finds is counted and logged as an error.

import type { Log } from '@pilothouse/process';
import type { Store, Stuck, Work } from '@pilothouse/store';
import { Counter, type Registry } from 'prom-client';
import { startRepeating } from '../common/repeat.ts';
import type { Engine } from '../engine/engine.ts';

type Options = {
  store: Store;
  work: Work;
  engine: Engine;
  log: Log;
  metrics: Registry;
  everyMs?: number;
  /** How long a task may show no progress. */
  afterMs?: number;
};

export function startStuckTasks({ store, work, engine, log, metrics, everyMs = 5000, afterMs = 10_000 }: Options) {
  const caught = new Counter({
    name: 'pilothouse_stuck_tasks_caught_total',
    help: 'Tasks that no agent would have continued, by what was done about it. Anything but 0 is worth a look.',
    labelNames: ['how'],
    registers: [metrics],
  });
  for (const how of ['recovered', 'begun_anew']) caught.inc({ how }, 0);

  /** For a task whose workflow ended before it, or never existed. */
  function restart({ id, sessionId }: Stuck): Promise<boolean> {
    return store.change(sessionId, async (tx, append) => {
      // Every agent looks; only one restarts the task.
      if (!(await store.stuck.isStill(tx, id, afterMs))) return false;
      await work.startAnew(tx, { id, session_id: sessionId });
      const message = 'No agent worked on the task, so it was started again.';
      await store.logs.append(tx, append, { taskId: id, level: 'warn', message });
      return true;
    });
  }

  async function look(): Promise<void> {
    for (const stuck of await store.stuck.find(afterMs)) {
      const { id: task_id, engineStatus: engine_status, goneAgentId: agent_id } = stuck;
      if (agent_id) {
        // Recovers everything that the agent held, so its other tasks of this list need nothing more.
        const count = await engine.recover(agent_id);
        if (count > 0) caught.inc({ how: 'recovered' }, count);
        if (count > 0)
          log.error({ task_id, agent_id, count }, 'recovered tasks of a dead agent that recovery had missed');
      } else if (await restart(stuck)) {
        caught.inc({ how: 'begun_anew' });
        log.error({ task_id, engine_status }, 'restarted a task that no agent worked on');
      }
    }
  }

  return startRepeating(look, everyMs, (error) => log.warn({ err: error }, 'could not look for stuck tasks'));
}
