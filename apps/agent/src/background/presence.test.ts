import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { createLog } from '@pilothouse/process';
import { openStore, type Store } from '@pilothouse/store';
import { createTestDatabase, type TestDatabase } from '@pilothouse/store/testing';
import { Registry } from 'prom-client';
import { until } from '../../../../testkit/until.ts';
import { showPresence } from './presence.ts';

const log = createLog('agent', 'silent');
const leases = { leaseMs: 1000, hostLeaseMs: 1000 };

describe('the presence of an agent', () => {
  let database: TestDatabase;
  let store: Store;
  before(async () => {
    database = await createTestDatabase();
    store = openStore({ url: database.url, blobDir: '/nonexistent', poolSize: 2, onError: () => {} });
  });
  after(async () => {
    await store.close();
    await database.close();
  });

  const rowOf = async (agentId: string, by = store) => {
    const { rows } = await by.transaction(({ client }) =>
      client.query<{ seen: Date; hears: boolean }>(
        `select seen_at as seen, coalesce(hears_from <= now() and hears_until > now(), false) as hears
         from agents where id = $1`,
        [agentId],
      ),
    );
    assert.ok(rows[0]);
    return rows[0];
  };

  it('says that it hears hosts while the bus answers, and not while the bus is away', async () => {
    const agentId = randomUUID();
    let isAnswering = true;
    const bus = { ping: async () => isAnswering };
    const presence = await showPresence({ store, bus, agentId, ...leases, log, metrics: new Registry() });
    try {
      assert.equal((await rowOf(agentId)).hears, false, 'not at once');
      await until(async () => (await rowOf(agentId)).hears, 10_000);
      isAnswering = false;
      await until(async () => !(await rowOf(agentId)).hears, 10_000);
      const { seen } = await rowOf(agentId);
      await until(async () => (await rowOf(agentId)).seen > seen, 10_000);
    } finally {
      await presence.close();
    }
  });

  it('beats while every connection of the work is taken', async () => {
    const agentId = randomUUID();
    const bus = { ping: async () => true };
    const presence = await showPresence({ store, bus, agentId, ...leases, log, metrics: new Registry() });
    const { promise: isEnough, resolve } = Promise.withResolvers<void>();
    const taken = [1, 2].map(() => store.transaction(() => isEnough));
    const other = openStore({ url: database.url, blobDir: '/nonexistent', onError: () => {} });
    try {
      for (let beats = 0; beats < 5; beats += 1) {
        const { seen } = await rowOf(agentId, other);
        await until(async () => (await rowOf(agentId, other)).seen > seen, 10_000);
      }
    } finally {
      resolve();
      await Promise.all(taken);
      await presence.close();
      await other.close();
    }
  });

  it('counts how often its work was taken because it was silent, and its lock lost', async () => {
    const agentId = randomUUID();
    const metrics = new Registry();
    const presence = await showPresence({ store, bus: { ping: async () => true }, agentId, ...leases, log, metrics });
    const lost = async (what: string) =>
      (await metrics.metrics()).includes(`pilothouse_agent_leases_lost_total{what="${what}"} 1`);
    try {
      assert.ok(!(await lost('work')) && !(await lost('lock')));
      const sql = (text: string, values: unknown[] = []) =>
        store.transaction(({ client }) => client.query(text, values));
      await sql('update agents set recovered_at = now() where id = $1', [agentId]);
      await until(() => lost('work'), 10_000);
      await sql(`select pg_terminate_backend(pid) from pg_stat_activity
        where application_name = 'pilothouse agent presence' and datname = current_database()`);
      await until(() => lost('lock'), 10_000);
    } finally {
      await presence.close();
    }
  });
});
