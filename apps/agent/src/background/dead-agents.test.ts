import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, it } from 'node:test';
import { createLog } from '@pilothouse/process';
import { localUser, newId, openStore, type Store } from '@pilothouse/store';
import { createTestDatabase, type TestDatabase } from '@pilothouse/store/testing';
import { isDue, takeRun } from '@pilothouse/store/testing/runs';
import { Registry } from 'prom-client';
import { until } from '../../../../testkit/until.ts';
import { startRecovery } from './dead-agents.ts';

let database: TestDatabase;
let store: Store;
before(async () => {
  database = await createTestDatabase();
  store = openStore({ url: database.url, blobDir: '/nonexistent', onError: () => {} });
  await store.users.ensureLocal();
});
after(async () => {
  await store?.close();
  await database?.close();
});

it('the tasks of a dead agent are due again, and counted with it', async () => {
  const [id, sessionId, dead] = [newId(), newId(), randomUUID()];
  await store.change(sessionId, async (tx) => {
    await store.sessions.create(tx, localUser, { id: sessionId, viewport: { width: 1280, height: 720 } });
    const given = { id, sessionId, title: 't', prompt: 'p', plan: { steps: [] }, settings: {}, totalSteps: 1 };
    await store.tasks.create(tx, localUser, given);
  });
  await takeRun(store, id, dead);
  const presence = await store.agents.enter(dead);
  const metrics = new Registry();
  const log = createLog('agent', 'silent');
  const recovery = startRecovery({ store, agentId: randomUUID(), leaseMs: 60_000, log, metrics, onDue: () => {} });
  try {
    const text = await metrics.metrics();
    assert.match(text, /^pilothouse_agents_recovered_total 0$/m);
    // As if it were killed: the database frees its lock.
    await presence.leave();
    await until(() => isDue(store, id), 10_000);
    await until(async () => /^pilothouse_tasks_recovered_total 1$/m.test(await metrics.metrics()), 5000);
    assert.match(await metrics.metrics(), /^pilothouse_agents_recovered_total 1$/m);
  } finally {
    await recovery.close();
  }
});
