// The durable engine (DBOS) in this process: one queue of tasks, and the recovery of dead agents' work.

import { DBOS } from '@dbos-inc/dbos-sdk';
// DBOS does not notice dead executors and has no public call that recovers them in queue order. Its version is pinned
// exactly, and a test covers what these private calls do.
import { getExecutor } from '@dbos-inc/dbos-sdk/internal/dbos';
import { wfQueueRunner } from '@dbos-inc/dbos-sdk/internal/wfqueue';
import type { Log } from '@pilothouse/process';
import { engine } from '@pilothouse/store';
import { coalesce } from '../common/coalesce.ts';

type Options = { url: string; agentId: string; pollMs: number; log: Log };

/** Waiting tasks count too, so this is far above the number of browsers. */
const tasksAtOnce = 500;

/**
 * Name and version are pinned, so that any release continues the work of any other. That is safe because the workflow's
 * body never changes and all decisions come from our own ledger.
 */
export async function startEngine({ url, agentId, pollMs, log }: Options) {
  const toLog = (level: 'debug' | 'warn' | 'error') => (message: unknown) => log[level]({ engine: message }, 'engine');
  DBOS.setConfig({
    name: engine.application,
    applicationVersion: engine.application,
    systemDatabaseUrl: url,
    executorID: agentId,
    // Migrations are a separate command, because many processes may start at once.
    runMigrations: false,
    logger: { debug: toLog('debug'), info: toLog('debug'), warn: toLog('warn'), error: toLog('error') },
  });
  await DBOS.launch();
  const queue = await DBOS.registerQueue(engine.queue, {
    // One task of a session at a time, in order.
    partitionConcurrency: 1,
    workerConcurrency: tasksAtOnce,
    minPollingIntervalMs: pollMs,
    onConflict: 'always_update',
  });
  const look = async () => {
    // biome-ignore lint/complexity/useLiteralKeys: the only way to a private method that is still type-checked.
    await wfQueueRunner['pollQueue'](getExecutor(), queue);
  };
  const polls = coalesce(look, (error) => log.warn({ err: error }, 'could not look into the queue'));

  return {
    /** Looks into the queue now, and not only every `pollMs`. */
    look: polls.run,
    /** Puts the work of a dead agent back into the queue, at its old place. Returns the number of tasks. */
    async recover(deadAgentId: string): Promise<number> {
      return (await getExecutor().recoverPendingWorkflows([deadAgentId])).length;
    },
    async close() {
      await polls.close();
      await DBOS.shutdown();
    },
  };
}
export type Engine = Awaited<ReturnType<typeof startEngine>>;
