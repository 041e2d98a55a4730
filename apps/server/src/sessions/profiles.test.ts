import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { startTestServer, type TestServer } from '../../testing/server.ts';

const stateWith = (value: string) => ({ storage: { cookies: [{ name: 'sid', value }] }, pages: [] });

describe('profiles', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer({ isAuthDisabled: true });
  });
  after(() => server.close());

  const newSession = async (given: { profile_id?: string; profile_label?: string } = {}) =>
    (await server.client.createSession(given)).session;
  /** As an agent does it: assigns the browser to a host, and saves its state with a step. */
  const save = (sessionId: string, value: string) => {
    const { store } = server;
    return store.transaction(async (tx) => {
      const { epoch = 0 } = (await store.browsers.of(sessionId)) ?? {};
      await store.browsers.assign(tx, sessionId, { id: 'h1', bootId: randomUUID() }, epoch);
      await store.browsers.saveState(tx, sessionId, epoch + 1, stateWith(value));
    });
  };
  /** The state that the browser of the session would begin with. */
  const stateOf = (sessionId: string) => server.store.transaction((tx) => server.store.browsers.stateOf(tx, sessionId));
  const newProfile = async (label: string, value: string) => {
    const session = await newSession();
    await save(session.id, value);
    return (await server.client.createProfile({ label, session_id: session.id })).profile;
  };
  const close = (id: string) => server.client.deleteSession({ id });

  it('are made from the saved state of a session, listed newest first, and removed', async () => {
    const first = await newProfile('one', 'a');
    const second = await newProfile('two', 'b');
    const { profiles, next_cursor } = await server.client.listProfiles({ limit: 1 });
    assert.deepEqual(profiles, [second]);
    assert.deepEqual((await server.client.listProfiles({ limit: 1, cursor: next_cursor ?? '' })).profiles, [first]);
    await server.client.deleteProfile({ id: first.id });
    assert.deepEqual((await server.client.listProfiles()).profiles, [second]);
    await assert.rejects(server.client.deleteProfile({ id: first.id }), { code: 'not_found' });
    await assert.rejects(newSession({ profile_id: first.id }), { code: 'not_found' });
  });

  it('with an existing label are replaced', async () => {
    const first = await newProfile('again', 'a');
    const second = await newProfile('again', 'b');
    assert.equal(second.id, first.id);
    const { id } = await newSession({ profile_label: 'again' });
    assert.deepEqual(await stateOf(id), stateWith('b'));
  });

  it('are not made without a saved state', async () => {
    const { id } = await newSession();
    await assert.rejects(server.client.createProfile({ label: 'x', session_id: id }), { code: 'conflict' });
  });

  it('are the state that a session begins with, by id or by label', async () => {
    const { id, label } = await newProfile('begin', 'a');
    for (const given of [{ profile_id: id }, { profile_label: label }, { profile_id: id, profile_label: label }]) {
      const session = await newSession(given);
      assert.equal(session.profile_id, id);
      assert.equal(session.profile_label, label);
      assert.deepEqual(await stateOf(session.id), stateWith('a'));
      await close(session.id);
    }
    await assert.rejects(newSession({ profile_id: id, profile_label: 'other' }), { code: 'not_found' });
    await assert.rejects(newSession({ profile_id: 'abc' }), { code: 'not_found' });
  });

  it('have one writer: the first session writes back, and the next one has a copy', async () => {
    const { id } = await newProfile('shared', 'a');
    const writer = await newSession({ profile_id: id });
    const other = await newSession({ profile_id: id });
    await save(other.id, 'of the copy');
    await save(writer.id, 'of the writer');
    const third = await newSession({ profile_id: id });
    assert.deepEqual(await stateOf(third.id), stateWith('of the writer'));
    const asked = { label: 'shared', session_id: other.id };
    await assert.rejects(server.client.createProfile(asked), { code: 'conflict' });
    await close(writer.id);
    const heir = await newSession({ profile_id: id });
    await save(heir.id, 'of the heir');
    assert.deepEqual(await stateOf((await newSession({ profile_id: id })).id), stateWith('of the heir'));
  });

  it('have exactly one writer, also if several sessions begin at once', async () => {
    const { id } = await newProfile('raced', 'a');
    const sessions = await Promise.all(Array.from({ length: 10 }, () => newSession({ profile_id: id })));
    const written = await Promise.all(
      sessions.map((session) =>
        server.store.transaction((tx) => server.store.profiles.writeBack(tx, session.id, stateWith(session.id))),
      ),
    );
    assert.equal(written.filter(Boolean).length, 1);
  });

  it('go from a writer that has not saved for long to the next session', async () => {
    const { id } = await newProfile('idle', 'a');
    const idle = await newSession({ profile_id: id });
    await server.store.transaction(({ client }) =>
      client.query(`update profiles set held_until = now() - interval '1 second' where id = $1`, [id]),
    );
    const next = await newSession({ profile_id: id });
    await save(idle.id, 'too late');
    await save(next.id, 'in time');
    assert.deepEqual(await stateOf((await newSession({ profile_id: id })).id), stateWith('in time'));
  });

  it('begin empty with a new label, and are filled by its session', async () => {
    const session = await newSession({ profile_label: 'fresh' });
    assert.ok(session.profile_id);
    assert.equal(await stateOf(session.id), null);
    await save(session.id, 'first');
    assert.deepEqual(await stateOf((await newSession({ profile_label: 'fresh' })).id), stateWith('first'));
  });

  it('and saved states are nowhere in the database in plain text', async () => {
    await newProfile('secret', 'secret-5a1e');
    const session = await newSession({ profile_label: 'secret' });
    assert.deepEqual(await stateOf(session.id), stateWith('secret-5a1e'));
    const found = await server.store.transaction(async ({ client }) => {
      const { rows } = await client.query<{ line: string }>(
        'select to_jsonb(p)::text as line from profiles p union all select to_jsonb(b)::text from browsers b',
      );
      return rows.filter(
        ({ line }) => line.includes('secret-5a1e') || line.includes(Buffer.from('secret-5a1e').toString('hex')),
      );
    });
    assert.deepEqual(found, []);
  });

  it('do not exist without a key: a label is only a name then, and states are stored in plain text', async () => {
    const { id } = await newProfile('locked', 'a');
    const keyless = await server.another({ hasProfileKey: false });
    await assert.rejects(keyless.client.createSession({ profile_id: id }), { code: 'not_found' });
    const { session } = await keyless.client.createSession({ profile_label: 'locked' });
    assert.equal(session.profile_label, 'locked');
    assert.equal(session.profile_id, null);
    const { store } = keyless;
    await store.transaction(async (tx) => {
      await store.browsers.assign(tx, session.id, { id: 'h1', bootId: randomUUID() }, 0);
      await store.browsers.saveState(tx, session.id, 1, stateWith('plain'));
    });
    const asked = { label: 'x', session_id: session.id };
    await assert.rejects(keyless.client.createProfile(asked), { code: 'conflict' });
    assert.deepEqual(await stateOf(session.id), stateWith('plain'), 'who gets a key later still reads them');
    assert.ok((await server.client.createProfile(asked)).profile);
  });

  it('beyond the quota are refused', async () => {
    const strict = await server.another({ quotas: { profiles: 0 } });
    const { id } = await newSession();
    await save(id, 'a');
    const asked = { label: 'one too many', session_id: id };
    await assert.rejects(strict.client.createProfile(asked), { code: 'quota_exceeded' });
    await assert.rejects(strict.client.createSession({ profile_label: 'one too many' }), { code: 'quota_exceeded' });
  });
});
