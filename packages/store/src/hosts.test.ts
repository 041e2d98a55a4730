import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTestDatabase, type TestDatabase } from '../testing/database.ts';
import { openStore, type Store } from './index.ts';

describe('hosts', () => {
  let database: TestDatabase;
  let store: Store;
  before(async () => {
    database = await createTestDatabase();
    store = openStore({ url: database.url, blobDir: '/nonexistent', onError: () => {} });
  });
  after(async () => {
    await store.close();
    await database.close();
  });
  const report = { capacity: 8, sessions: [] };

  it('are live while their lease holds, and no longer', async () => {
    await store.hosts.renew({ hostId: 'short', bootId: randomUUID(), leaseMs: 1500, ...report });
    await store.hosts.renew({ hostId: 'long', bootId: randomUUID(), leaseMs: 60_000, ...report });
    assert.deepEqual(
      (await store.hosts.live()).map(({ id }) => id),
      ['long', 'short'],
    );
    await sleep(1600);
    assert.deepEqual(
      (await store.hosts.live()).map(({ id }) => id),
      ['long'],
    );
  });

  it('keep the time of their start until they start again', async () => {
    const bootId = randomUUID();
    const startedAt = async (boot: string) => {
      await store.hosts.renew({ hostId: 'one', bootId: boot, leaseMs: 60_000, ...report });
      return (await store.hosts.live()).find(({ id }) => id === 'one')?.started_at.getTime();
    };
    const first = await startedAt(bootId);
    await sleep(5);
    assert.equal(await startedAt(bootId), first);
    assert.notEqual(await startedAt(randomUUID()), first);
  });
});
