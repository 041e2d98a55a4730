import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ActorSets, openActorSets } from './actors.ts';
import { type Changes, followChanges } from './database-changes.ts';
import { startTestServer, type TestServer } from './server.ts';

describe('changes of a database', () => {
  let server: TestServer;
  let actorSets: ActorSets;
  let changes: Changes;
  before(async () => {
    server = await startTestServer({ isAuthDisabled: false });
    actorSets = await openActorSets({ server, gate: server, brief: server });
    changes = await followChanges(server);
  });
  after(async () => {
    await server?.close();
  });
  const run = (text: string) => server.store.transaction(({ client }) => client.query(text));

  it('are noticed once, of rows that are added, changed or removed', async () => {
    assert.equal(await changes.happened(), false);
    await actorSets.newActors();
    assert.equal(await changes.happened(), true);
    assert.equal(await changes.happened(), false);
    for (const text of [
      `update users set role = 'admin'`,
      `update events set data = '{}'`,
      'update tasks set run = run + 1',
      'delete from observations',
      'truncate recorded_frames',
    ]) {
      await run(text);
      assert.equal(await changes.happened(), true, text);
      assert.equal(await changes.happened(), false, text);
    }
  });

  it('are none where the rows stay the same, and none that any call makes', async () => {
    for (const text of [
      `update users set role = 'admin'`,
      'update api_keys set last_used_at = now()',
      `insert into audit (id, event, outcome) values (gen_random_uuid(), 'login', 'refused')`,
    ]) {
      await run(text);
      assert.equal(await changes.happened(), false, text);
    }
  });

  it('are noticed also where the digest was taken before their transaction ended', async () => {
    const mayCommit = Promise.withResolvers<void>();
    const hasWritten = Promise.withResolvers<void>();
    const writing = server.store.transaction(async ({ client }) => {
      await client.query(`update users set role = 'user'`);
      hasWritten.resolve();
      await mayCommit.promise;
    });
    await hasWritten.promise;
    assert.equal(await changes.happened(), false);
    mayCommit.resolve();
    await writing;
    assert.equal(await changes.happened(), true);
  });
});
