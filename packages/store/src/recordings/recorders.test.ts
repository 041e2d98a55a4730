import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, beforeEach, describe, it } from 'node:test';
import pg from 'pg';
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts';
import { seedSessions } from '../../testing/stored-sessions.ts';
import { openStore, type Store } from '../index.ts';

const leaseMs = 60_000;
/** Of which a third rests or waits for a person, and is not recorded then. */
const live = 90;

describe('recordings', () => {
  let database: TestDatabase;
  let store: Store;
  let plain: pg.Pool;
  let wanted: number;
  before(async () => {
    database = await createTestDatabase();
    await seedSessions(database.url, { stored: 100, live, recordedEvery: 1 });
    store = openStore({ url: database.url, blobDir: '/nonexistent', poolSize: 8, onError: () => {} });
    plain = new pg.Pool({ connectionString: database.url, max: 2 });
    const { rows } = await plain.query(`select count(*)::int from tasks where status in ('running', 'takeover')`);
    wanted = rows[0].count;
  });
  after(async () => {
    await plain?.end();
    await store?.close();
    await database?.close();
  });
  beforeEach(async () => {
    await plain.query('delete from recorders');
    await plain.query('delete from agents');
  });

  const newAgent = async () => {
    const id = randomUUID();
    await plain.query('insert into agents (id, seen_at) values ($1, now())', [id]);
    return id;
  };
  const claim = (agentId: string) => store.recorders.claim(agentId, leaseMs);
  /** Each agent looks a few times; returns what each has at last. */
  async function looks(agents: string[]): Promise<string[][]> {
    for (let round = 0; round < 4; round += 1) await Promise.all(agents.map(claim));
    return Promise.all(agents.map(async (id) => (await claim(id)).map(({ sessionId }) => sessionId)));
  }

  it('are all taken by the agents, each by one, and by each about its share', async () => {
    assert.equal(wanted, 63);
    const had = await looks([await newAgent(), await newAgent(), await newAgent()]);
    assert.equal(new Set(had.flat()).size, wanted);
    assert.deepEqual(
      had.map(({ length }) => length),
      [21, 21, 21],
    );
  });

  it('are not all taken by the agent that looks first', async () => {
    const [first] = [await newAgent(), await newAgent()];
    assert.equal((await claim(first)).length, 25);
    assert.equal((await claim(first)).length, 32, 'its share');
    assert.equal((await claim(first)).length, 32);
  });

  it('go over to an agent that comes later, which records without a pause from then on', async () => {
    const first = await newAgent();
    assert.equal((await looks([first]))[0]?.length, wanted);
    const second = await newAgent();
    const [kept, taken] = await looks([first, second]);
    assert.deepEqual([kept?.length, taken?.length], [40, 23]);
    assert.equal(new Set([...(kept ?? []), ...(taken ?? [])]).size, wanted);
    // A share that changes a little moves nothing.
    assert.deepEqual((await claim(first)).map(({ sessionId }) => sessionId).sort(), kept?.sort());
  });

  it('go over to the others when their agent is gone, and its lease too', async () => {
    const [gone, other] = [await newAgent(), await newAgent()];
    const [, had] = await looks([gone, other]);
    await plain.query('update agents set recovered_at = now() where id = $1', [gone]);
    assert.equal((await looks([other]))[0]?.length, had?.length, 'the lease holds');
    await plain.query('update recorders set until = now() where agent_id = $1', [gone]);
    const [all] = await looks([other]);
    assert.equal(all?.length, wanted);
    const hosts = new Set((await claim(other)).map(({ hostId }) => hostId));
    assert.ok([...hosts].every((host) => /^host-\d+$/.test(host)));
  });
});
