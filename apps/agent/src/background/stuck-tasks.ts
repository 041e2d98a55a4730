// The net below recovery: tasks that nobody goes on with, for a reason that nobody thought of. It should never catch
// anything, so what it catches is counted and said aloud.

import type { Log } from '@pilothouse/process';
import type { Store, Stuck, Work } from '@pilothouse/store';
import { Counter, type Registry } from 'prom-client';
import type { Engine } from './engine.ts';
import { startRounds } from './rounds.ts';

type Options = {
  store: Store;
  work: Work;
  engine: Engine;
  log: Log;
  metrics: Registry;
  everyMs?: number;
  /** How long nothing may have happened. */
  afterMs?: number;
};

export function startNet({ store, work, engine, log, metrics, everyMs = 5000, afterMs = 10_000 }: Options) {
  const caught = new Counter({
    name: 'pilothouse_stuck_tasks_caught_total',
    help: 'Tasks that nobody would have gone on with, by what was done about it. Anything but 0 is worth a look.',
    labelNames: ['how'],
    registers: [metrics],
  });
  for (const how of ['recovered', 'begun_anew']) caught.inc({ how }, 0);

  /** Its workflow has ended before it, or was never there. */
  function beginAnew({ id, sessionId }: Stuck): Promise<boolean> {
    return store.change(sessionId, async (tx, append) => {
      // Every agent has a net; one of them helps.
      if (!(await store.stuck.isStill(tx, id, afterMs))) return false;
      await work.startAnew(tx, { id, session_id: sessionId });
      const message = 'The task was found with nobody at work on it, and is begun anew.';
      await store.logs.append(tx, append, { taskId: id, level: 'warn', message });
      return true;
    });
  }

  async function look(): Promise<void> {
    for (const stuck of await store.stuck.find(afterMs)) {
      const { id: task_id, engineStatus: engine_status, goneAgentId: agent_id } = stuck;
      if (agent_id) {
        // All that it held: the others of this list are no longer found after it.
        const count = await engine.recover(agent_id);
        if (count > 0) caught.inc({ how: 'recovered' }, count);
        if (count > 0) log.error({ task_id, agent_id, count }, 'caught tasks of an agent that nobody had recovered');
      } else if (await beginAnew(stuck)) {
        caught.inc({ how: 'begun_anew' });
        log.error({ task_id, engine_status }, 'caught a task that nobody was at work on');
      }
    }
  }

  return startRounds(look, everyMs, (error) =>
    log.warn({ err: error }, 'could not look for tasks that nobody goes on with'),
  );
}
