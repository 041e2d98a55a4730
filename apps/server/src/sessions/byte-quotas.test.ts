import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { localUser, newId } from '@pilothouse/store';
import { startTestServer, type TestServer } from '../../testing/server.ts';

const kilobyte = 1024;

describe('the bytes of a user', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer({
      isAuthDisabled: true,
      quotas: { stateBytes: 100 * kilobyte, pictureBytes: 100 * kilobyte },
    });
  });
  after(() => server.close());

  const held = () => server.store.transaction((tx) => server.store.quotas.held(tx, localUser.id));
  const stateOf = (bytes: number) => ({
    storage: { cookies: [] },
    pages: [],
    fill: randomBytes(bytes / 2).toString('hex'),
  });
  async function save(sessionId: string, bytes: number): Promise<void> {
    const { store } = server;
    await store.transaction(async (tx) => {
      const { epoch = 0 } = (await store.browsers.of(sessionId)) ?? {};
      await store.browsers.assign(tx, sessionId, { id: 'h1', bootId: randomUUID() }, epoch);
      await store.browsers.saveState(tx, sessionId, epoch + 1, stateOf(bytes));
    });
  }
  const isAbout = (bytes: number, kilobytes: number) =>
    assert.ok(Math.abs(bytes - kilobytes * kilobyte) < kilobyte, `${bytes} bytes, not ${kilobytes} KB`);

  it('of saved states are counted as they are saved, replaced and removed, and stay within the quota', async () => {
    const { client } = server;
    const { session: first } = await client.createSession();
    await save(first.id, 30 * kilobyte);
    isAbout((await held()).stateBytes, 30);
    await save(first.id, 25 * kilobyte);
    isAbout((await held()).stateBytes, 25);
    const { profile } = await client.createProfile({ label: 'p', session_id: first.id });
    isAbout((await held()).stateBytes, 50);
    // One more copy fits, a second does not.
    await client.createSession({ profile_id: profile.id });
    isAbout((await held()).stateBytes, 75);
    for (const given of [{ profile_id: profile.id }, { profile_label: 'p' }])
      await assert.rejects(client.createSession(given), { code: 'quota_exceeded', message: /saved browser states/ });
    await assert.rejects(client.createProfile({ label: 'q', session_id: first.id }), { code: 'quota_exceeded' });
    const { sessions } = await client.listSessions({ limit: 200 });
    assert.equal(sessions.length, 2, 'what was refused left nothing behind');
    // Sessions without a state are no matter of it.
    const { session: plain } = await client.createSession();
    for (const { id } of [...sessions, plain]) await client.deleteSession({ id });
    isAbout((await held()).stateBytes, 25);
    await client.deleteProfile({ id: profile.id });
    assert.equal((await held()).stateBytes, 0);
    await server.store.storedBytes.sumUp(1000);
    assert.equal((await held()).stateBytes, 0, 'summed up, it is the same');
  });

  it('of pictures refuse new work only while agents are far behind with removing them', async () => {
    const { client, store } = server;
    const { session } = await client.createSession();
    const add = (bytes: number) =>
      store.transaction(({ client: connection }) =>
        connection.query(
          `insert into recorded_frames (session_id, seq, frame_id, owner_id, recorded_at, content_type, width, height, route,
             byte_len) values ($1, 1, $2, $3, now(), 'image/jpeg', 8, 6, '{}', $4)`,
          [session.id, newId(), localUser.id, bytes],
        ),
      );
    await add(110 * kilobyte);
    const chat = { prompt: 'x', steps: [{ action: 'screenshot' } as const] };
    await client.sendChat(chat);
    await add(20 * kilobyte);
    assert.equal((await held()).pictureBytes, 130 * kilobyte);
    await assert.rejects(client.sendChat(chat), { code: 'quota_exceeded', message: /pictures/ });
    await assert.rejects(client.createSession(), { code: 'quota_exceeded' });
    await store.storedBytes.sumUp(1000);
    assert.ok(await store.retention.leaveSurplus(100 * kilobyte, 10));
    await client.sendChat(chat);
  });
});
