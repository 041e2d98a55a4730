import { DBOS } from '@dbos-inc/dbos-sdk';
// The engine does not notice dead executors by itself and offers no public call that keeps queue and order; the
// version is pinned exactly, and a test holds what this one does.
import { getExecutor } from '@dbos-inc/dbos-sdk/internal/dbos';
import { wfQueueRunner } from '@dbos-inc/dbos-sdk/internal/wfqueue';
import type { Log } from '@pilothouse/process';
import { engine } from '@pilothouse/store';
import { createOneAtATime } from './one-at-a-time.ts';

type Options = { url: string; agentId: string; pollMs: number; log: Log };

/** Waiting tasks count too, so this is far above what browsers can be had for. */
const tasksAtOnce = 500;

/**
 * Starts the durable engine in this process. The name and version are pinned: work begun by one release is taken up by
 * any other, which is safe because the workflow's body never changes and all decisions are in our own ledger.
 */
export async function startEngine({ url, agentId, pollMs, log }: Options) {
  const toLog = (level: 'debug' | 'warn' | 'error') => (message: unknown) => log[level]({ engine: message }, 'engine');
  DBOS.setConfig({
    name: engine.application,
    applicationVersion: engine.application,
    systemDatabaseUrl: url,
    executorID: agentId,
    // Migrations are a command of their own: many processes may start at once.
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
    // biome-ignore lint/complexity/useLiteralKeys: what is private there is reached so, and checked all the same.
    await wfQueueRunner['pollQueue'](getExecutor(), queue);
  };
  const looking = createOneAtATime(look, (error) => log.warn({ err: error }, 'could not look into the queue'));

  return {
    /** Looks into the queue now; it is looked into every `pollMs` anyway. */
    look: looking.run,
    /** Puts what a dead agent was doing back into the queue, at its old place. */
    async recover(deadAgentId: string): Promise<number> {
      return (await getExecutor().recoverPendingWorkflows([deadAgentId])).length;
    },
    async close() {
      await looking.close();
      await DBOS.shutdown();
    },
  };
}
export type Engine = Awaited<ReturnType<typeof startEngine>>;
