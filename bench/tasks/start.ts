import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { DBOS, DBOSClient } from '@dbos-inc/dbos-sdk';
import { createEmptyDatabase } from '@pilothouse/store/testing';
import pg from 'pg';
import type { Installation } from '../../testkit/installation.ts';
import { figuresOf } from '../../testkit/percentiles.ts';

/** The polling interval of both, so that the difference is ours. */
const pollMs = 50;

/**
 * From the acceptance of a chat to its first step begun, beside a bare engine: one workflow of one step, handed over in
 * a transaction, with the same queue settings. Taken in turn, so that both have the same weather.
 */
export async function measureStart(installation: Installation, count: number) {
  const bare = await openBareEngine();
  const ours: number[] = [];
  const theirs: number[] = [];
  try {
    const { session } = await installation.client.createSession();
    // The first opens the browser, which is not what is measured here.
    await startOurs(installation, session.id);
    await bare.start();
    for (let i = 0; i < count; i++) {
      ours.push(await startOurs(installation, session.id));
      theirs.push(await bare.start());
      await sleep(Math.random() * pollMs);
    }
  } finally {
    await bare.close();
  }
  return { ours: figuresOf(ours), bare: figuresOf(theirs) };
}

async function startOurs({ client, shop }: Installation, sessionId: string): Promise<number> {
  const { task_id } = await client.sendChat({
    prompt: 'look',
    session_id: sessionId,
    steps: [{ action: 'screenshot' }],
  });
  const acceptedAt = Date.now();
  let begunAt: number | undefined;
  for await (const event of client.followTask({ id: task_id }, { signal: AbortSignal.timeout(30_000) })) {
    // Both clocks are this machine's.
    if (event.type === 'step' && event.step.status === 'running') begunAt = Date.parse(event.step.intent_at);
  }
  if (begunAt === undefined) throw new Error(`no step of ${task_id} began; is ${shop.url} up?`);
  return Math.max(0, begunAt - acceptedAt);
}

async function openBareEngine() {
  const database = await createEmptyDatabase();
  const begun = new Map<string, (at: number) => void>();
  const workflow = async (id: string) => {
    await DBOS.runStep(async () => begun.get(id)?.(Date.now()), { name: 'step' });
  };
  DBOS.registerWorkflow(workflow, { name: 'bare' });
  DBOS.setConfig({ name: 'bare', applicationVersion: 'bare', systemDatabaseUrl: database.url, logLevel: 'error' });
  await DBOS.migrate(database.url);
  await DBOS.launch();
  await DBOS.registerQueue('bare', { partitionConcurrency: 1, workerConcurrency: 500, minPollingIntervalMs: pollMs });
  const client = await DBOSClient.create({ systemDatabaseUrl: database.url, applicationName: 'bare' });
  const pool = new pg.Pool({ connectionString: database.url, max: 2 });

  return {
    async start(): Promise<number> {
      const id = randomUUID();
      const began = new Promise<number>((resolve) => begun.set(id, resolve));
      const connection = await pool.connect();
      await connection.query('begin');
      await client.enqueueInTransaction(
        connection,
        { queueName: 'bare', workflowName: 'bare', workflowID: id, queuePartitionKey: id, appVersion: 'bare' },
        id,
      );
      await connection.query('commit');
      const acceptedAt = Date.now();
      connection.release();
      return Math.max(0, (await began) - acceptedAt);
    },
    async close() {
      await client.destroy();
      await DBOS.shutdown();
      await pool.end();
      await database.close();
    },
  };
}
