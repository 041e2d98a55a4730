import { DBOSClient } from '@dbos-inc/dbos-sdk';
import type { Tx } from './db.ts';

/** Names that the durable engine knows work by; agents register what they mean. */
export const engine = { application: 'pilothouse', queue: 'tasks', workflow: 'task', signalTopic: 'signal' } as const;

type Options = { url: string; onLog: (level: 'warn' | 'error', message: unknown) => void };

/** Hands work to the agents, in the transaction that writes it down: what was committed will run. */
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
     * Tasks of one session run one after the other, in the order of their creation: lock the session row before, since
     * the engine orders by its clock and not by commit.
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

    /** The same for one whose workflow has ended before it: what the engine knows of that is removed. */
    async startAnew(tx: Tx, task: { id: string; session_id: string }): Promise<void> {
      await tx.client.query('delete from dbos.workflow_status where workflow_uuid = $1', [task.id]);
      await work.start(tx, task);
    },

    /** Wakes the task's workflow, wherever it waits, to look at its row again; kept for it while nobody runs it. */
    async signal({ client: connection }: Tx, task: { id: string }): Promise<void> {
      // It says nothing: whoever wakes reads the row.
      await client.sendInTransaction(connection, task.id, 'look', engine.signalTopic);
    },

    close: () => client.destroy(),
  };
  return work;
}
export type Work = Awaited<ReturnType<typeof openWork>>;
