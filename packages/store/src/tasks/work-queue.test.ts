import assert from 'node:assert/strict';
import { it } from 'node:test';
import { DBOS } from '@dbos-inc/dbos-sdk';
import { until } from '../../../../testkit/until.ts';
import { createTestDatabase } from '../../testing/database.ts';
import { engine, newId, openStore, openWork } from '../index.ts';

it('a signal wakes a waiting workflow after the commit, and is kept for one that no agent runs yet', async () => {
  const database = await createTestDatabase();
  const store = openStore({ url: database.url, blobDir: '/nonexistent', onError: () => {} });
  const work = await openWork({ url: database.url, onLog: () => {} });
  const log: string[] = [];
  const { promise: waits, resolve: isWaiting } = Promise.withResolvers<void>();
  DBOS.registerWorkflow(
    async (id: string) => {
      isWaiting();
      await DBOS.recv(engine.signalTopic, { timeoutSeconds: 60, pollingIntervalMs: 60_000 });
      log.push(id);
    },
    { name: engine.workflow },
  );
  const task = () => ({ id: newId(), session_id: newId() });
  const [waiting, queued] = [task(), task()];
  try {
    await store.transaction(async (tx) => {
      await work.start(tx, queued);
      await work.signal(tx, queued);
    });
    await store.transaction((tx) => work.start(tx, waiting));
    DBOS.setConfig({
      name: engine.application,
      applicationVersion: engine.application,
      systemDatabaseUrl: database.url,
      runMigrations: false,
      logLevel: 'error',
    });
    await DBOS.launch();
    await DBOS.registerQueue(engine.queue, { partitionConcurrency: 1, minPollingIntervalMs: 50 });
    await waits;
    const refused = store.transaction(async (tx) => {
      await work.signal(tx, waiting);
      throw new Error('rolled back');
    });
    await assert.rejects(refused, /rolled back/);
    await DBOS.retrieveWorkflow(queued.id).getResult();
    assert.deepEqual(log, [queued.id], 'what was not committed was not said');
    await store.transaction((tx) => work.signal(tx, waiting));
    // It is woken: by itself it would look again after a minute.
    await until(() => log.includes(waiting.id), 20_000);
    await DBOS.retrieveWorkflow(waiting.id).getResult();
    assert.deepEqual(log, [queued.id, waiting.id]);
  } finally {
    await DBOS.shutdown();
    await work.close();
    await store.close();
    await database.close();
  }
});
