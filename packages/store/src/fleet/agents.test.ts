import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts';
import { openStore, type Store } from '../index.ts';

const long = 60_000;
const lease = 10_000;

describe('agents', () => {
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

  it('are missed as soon as their process is gone, and recovered by exactly one', async () => {
    const [dead, alive, me] = [randomUUID(), randomUUID(), randomUUID()];
    const gone = await store.agents.enter(dead);
    const here = await store.agents.enter(alive);
    assert.deepEqual(await store.agents.missing(me, long), []);
    await gone.leave();
    await gone.lost;
    assert.deepEqual(await store.agents.missing(me, long), [dead]);
    const claims = await Promise.all(Array.from({ length: 8 }, () => store.agents.claim(dead, randomUUID(), long)));
    assert.ok(claims.filter(Boolean).length <= 1, 'never two');
    if (!claims.some(Boolean)) assert.ok(await store.agents.claim(dead, me, long), 'who comes alone gets it');
    assert.deepEqual(await store.agents.missing(me, long), []);
    assert.equal(await store.agents.claim(alive, me, long), false, 'who lives is not claimed');
    await here.leave();
    await here.lost;
    await store.agents.claim(alive, me, long);
  });

  /** Its last heartbeat was a minute ago. */
  const fallSilent = (id: string) =>
    store.transaction(({ client }) =>
      client.query(`update agents set seen_at = seen_at - interval '1 minute' where id = $1`, [id]),
    );

  it('are missed although they hold their lock, once they say nothing, and are told so when they do again', async () => {
    const [silent, me] = [randomUUID(), randomUUID()];
    const here = await store.agents.enter(silent);
    assert.deepEqual(await store.agents.missing(me, lease), []);
    await fallSilent(silent);
    assert.deepEqual(await store.agents.missing(me, lease), [silent]);
    assert.deepEqual(await store.agents.beat(silent), { wasRecovered: false });
    assert.deepEqual(await store.agents.missing(me, lease), [], 'it said something');
    assert.equal(await store.agents.claim(silent, me, lease), false);
    await fallSilent(silent);
    const claims = await Promise.all(Array.from({ length: 8 }, () => store.agents.claim(silent, randomUUID(), lease)));
    assert.equal(claims.filter(Boolean).length, 1, 'one of all that try');
    assert.deepEqual(await store.agents.missing(me, lease), [], 'it is recovered, and nobody looks at it any more');
    assert.deepEqual(await store.agents.beat(silent), { wasRecovered: true });
    await here.leave();
    await here.lost;
    assert.deepEqual(await store.agents.missing(me, long), [silent], 'it lived again, and can die again');
    await store.agents.claim(silent, me, long);
  });

  it('come back also when their row was swept long ago', async () => {
    const [old, me] = [randomUUID(), randomUUID()];
    assert.deepEqual(await store.agents.beat(old), { wasRecovered: true });
    assert.deepEqual(await store.agents.missing(me, long), [old], 'it counts again');
    await store.agents.claim(old, me, long);
  });
});
