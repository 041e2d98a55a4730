// The work queue: hands tasks to agents in the transaction that writes them, so that committed work will run.

import { DBOSClient } from '@dbos-inc/dbos-sdk';
import type { Tx } from '../db/db.ts';

/** Names in the durable engine; agents register the functions behind them. */
export const engine = { application: 'pilothouse', queue: 'tasks', workflow: 'task', signalTopic: 'signal' } as const;

type Options = { url: string; onLog: (level: 'warn' | 'error', message: unknown) => void };

export async function openWork({ url, onLog }: Options) {
  const client = await DBOSClient.create({
    systemDatabaseUrl: url,
    systemDatabasePoolSize: 2,
    applicationName: engine.application,
    logger: {
      debug: () => {},
      info: () => {},
      warn: (message) => onLog('warn', message),
      error: (message) => onLog('error', message),
    },
  });
  const work = {
    /**
     * Tasks of one session run one after the other, in the order of their creation. Lock the session before: the engine
     * orders by its clock and not by commit.
     */
    async start({ client: connection }: Tx, task: { id: string; session_id: string }): Promise<void> {
      await client.enqueueInTransaction(
        connection,
        {
          queueName: engine.queue,
          workflowName: engine.workflow,
          workflowID: task.id,
          queuePartitionKey: task.session_id,
          appVersion: engine.application,
        },
        task.id,
      );
    },

    /** For a task whose workflow has ended before the task: the old workflow is removed from the engine. */
    async startAnew(tx: Tx, task: { id: string; session_id: string }): Promise<void> {
      await tx.client.query('delete from dbos.workflow_status where workflow_uuid = $1', [task.id]);
      await work.start(tx, task);
    },

    /** Wakes the task's workflow to read its row again. The signal is kept until an agent runs the workflow. */
    async signal({ client: connection }: Tx, task: { id: string }): Promise<void> {
      // It carries no data: the workflow reads the row.
      await client.sendInTransaction(connection, task.id, 'look', engine.signalTopic);
    },

    close: () => client.destroy(),
  };
  return work;
}
export type Work = Awaited<ReturnType<typeof openWork>>;
