import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts';
import { localUser, newId, openStore, type Store } from '../index.ts';

describe('hosts', () => {
  let database: TestDatabase;
  let store: Store;
  before(async () => {
    database = await createTestDatabase();
    store = openStore({ url: database.url, blobDir: '/nonexistent', onError: () => {} });
    await store.users.ensureLocal();
  });
  after(async () => {
    await store.close();
    await database.close();
  });
  const report = { capacity: 8, sessions: [] };
  const viewport = { width: 1280, height: 720 };

  it('are live while their lease holds, and no longer', async () => {
    await store.hosts.renew({ hostId: 'short', bootId: randomUUID(), leaseMs: 60_000, ...report });
    await store.hosts.renew({ hostId: 'long', bootId: randomUUID(), leaseMs: 120_000, ...report });
    assert.deepEqual(
      (await store.hosts.live()).map(({ id }) => id),
      ['long', 'short'],
    );
    // As if ninety seconds had passed.
    await run(`update hosts set lease_until = lease_until - interval '90 s'`);
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
    const first = (await startedAt(bootId)) ?? 0;
    await run(`update hosts set started_at = started_at - interval '1 hour' where id = 'one'`);
    const earlier = first - 3_600_000;
    assert.equal(await startedAt(bootId), earlier);
    assert.notEqual(await startedAt(randomUUID()), earlier);
  });

  /** A session whose browser the database has given to the host. */
  async function given(hostId: string, bootId: string): Promise<string> {
    const id = newId();
    await store.change(id, (tx) => store.sessions.create(tx, localUser, { id, viewport, recording: false }));
    await store.transaction((tx) => store.browsers.assign(tx, id, { id: hostId, bootId }, 0));
    return id;
  }
  const beat = (hostId: string, bootId: string, claim: { capacity: number; maxSessions?: number }) =>
    store.hosts.renew({ hostId, bootId, sessions: [], leaseMs: 60_000, ...claim }).then(({ capacity }) => capacity);
  const run = (text: string, values: unknown[] = []) => store.transaction((tx) => tx.client.query(text, values));
  const only = (hostId: string) =>
    run(`update hosts set lease_until = now() - interval '1 hour' where id <> $1`, [hostId]);

  it('have the capacity they claim, and no more than the operator allows', async () => {
    const bootId = randomUUID();
    assert.equal(await beat('claims', bootId, { capacity: 10_000, maxSessions: 8 }), 8, 'the default of the agents');
    assert.equal(await beat('claims', bootId, { capacity: 3, maxSessions: 8 }), 3, 'less is its own affair');
    await store.transaction((tx) => store.hosts.setLimit(tx, 'claims', 20));
    assert.equal(await beat('claims', bootId, { capacity: 10_000, maxSessions: 8 }), 20, 'the word of the operator');
    await store.transaction((tx) => store.hosts.setLimit(tx, 'claims', 0));
    assert.equal(await beat('claims', bootId, { capacity: 10_000, maxSessions: 8 }), 0);
    await only('claims');
    assert.equal(await store.hosts.mostFree(), undefined, 'one that may hold none is given none');
    await store.transaction((tx) => store.hosts.setLimit(tx, 'claims', null));
    assert.equal(await beat('claims', bootId, { capacity: 10_000, maxSessions: 8 }), 8);
  });

  it('count the sessions that were assigned to them, whatever they report', async () => {
    const bootId = randomUUID();
    await beat('denies', bootId, { capacity: 10_000, maxSessions: 2 });
    await only('denies');
    await given('denies', bootId);
    await given('denies', bootId);
    await beat('denies', bootId, { capacity: 10_000, maxSessions: 2 });
    assert.equal(await store.hosts.mostFree(), undefined);
  });

  it('get sessions by the free part of their capacity', async () => {
    const boots = { large: randomUUID(), small: randomUUID() };
    await beat('large', boots.large, { capacity: 6 });
    await only('large');
    await beat('small', boots.small, { capacity: 3 });
    const chosen: string[] = [];
    for (let i = 0; i < 9; i += 1) {
      const host = await store.hosts.mostFree();
      assert.ok(host);
      chosen.push(host.id);
      await given(host.id, host.boot_id);
    }
    assert.equal(chosen.slice(0, 3).filter((id) => id === 'small').length, 1, 'from the beginning, and not at the end');
    assert.equal(chosen.filter((id) => id === 'small').length, 3);
    assert.equal(await store.hosts.mostFree(), undefined);
  });

  it('that say they are full although they claim room are shunned, each time for longer, and forgiven one by one', async () => {
    const bootId = randomUUID();
    await beat('liar', bootId, { capacity: 8 });
    await only('liar');
    await given('liar', bootId);
    const shunned = async () => Math.round(await store.hosts.saidFull('liar', bootId));
    assert.deepEqual([await shunned(), await shunned(), await shunned()], [1, 2, 4]);
    await beat('liar', bootId, { capacity: 8 });
    assert.equal(await store.hosts.mostFree(), undefined, 'its next heartbeat changes nothing');
    for (let i = 0; i < 10; i += 1) await shunned();
    assert.equal(await shunned(), 60, 'and not for ever');
    await run(`update hosts set shunned_until = now() where id = 'liar'`);
    await beat('liar', bootId, { capacity: 8 });
    assert.equal((await store.hosts.mostFree())?.id, 'liar');
    for (let i = 0; i < 12; i += 1) await store.hosts.opened('liar');
    assert.equal(await shunned(), 1);
  });

  it('that are full by their assigned or reported sessions are not shunned for saying so', async () => {
    const bootId = randomUUID();
    await beat('honest', bootId, { capacity: 2 });
    for (let i = 0; i < 2; i += 1) await given('honest', bootId);
    assert.equal(await store.hosts.saidFull('honest', bootId), 0, 'several agents gave it one too many');
    const sessions = [newId(), newId()].map((session_id) => ({ session_id, epoch: 1, is_watched: false, idle_ms: 0 }));
    const another = randomUUID();
    await store.hosts.renew({ hostId: 'honest', bootId: another, capacity: 2, sessions, leaseMs: 60_000 });
    assert.equal(await store.hosts.saidFull('honest', another), 0, 'it still closes some');
  });

  it('that never hear of a driver do not hide others that would', async () => {
    const behind = async (hostId: string, bootId: string, count: number) => {
      const sessions: { session_id: string; epoch: number; is_watched: boolean; idle_ms: number }[] = [];
      for (let i = 0; i < count; i += 1) {
        const session_id = newId();
        await store.change(session_id, async (tx) => {
          await store.sessions.create(tx, localUser, { id: session_id, viewport });
          await store.browsers.assign(tx, session_id, { id: hostId, bootId }, 0);
          await store.browsers.fence(tx, session_id);
        });
        sessions.push({ session_id, epoch: 1, is_watched: false, idle_ms: 0 });
      }
      await store.hosts.renew({ hostId, bootId, capacity: 100, sessions, leaseMs: 60_000 });
    };
    const [stuck, well] = [randomUUID(), randomUUID()];
    await run('update hosts set lease_until = now()');
    for (const [hostId, bootId] of [
      ['stuck', stuck],
      ['well', well],
    ] as const)
      await store.hosts.renew({ hostId, bootId, capacity: 100, sessions: [], leaseMs: 60_000 });
    await behind('stuck', stuck, 60);
    await behind('well', well, 1);
    const seen = new Set<string>();
    for (let look = 0; look < 3; look += 1) {
      const found = await store.browsers.hostsWithOldDriver();
      assert.ok(
        found.some(({ hostId }) => hostId === 'well'),
        'each host has its turn in every look',
      );
      for (const { sessionId } of found) seen.add(sessionId);
      // As when the agent that got them could not tell the host.
      await run('delete from job_claims');
    }
    assert.ok(seen.size > 50, `${seen.size} of 61 came up: not the same ones each time`);
  });
});
