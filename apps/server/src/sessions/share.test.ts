import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { type Client, createClient } from '@pilothouse/sdk';
import { newId } from '@pilothouse/store';
import pg from 'pg';
import { until } from '../../../../testkit/until.ts';
import { watch } from '../../testing/guests.ts';
import { startTestServer, type TestServer } from '../../testing/server.ts';
import { registerUser } from '../../testing/users.ts';

/** A second, and time for a busy machine. */
const aSecond = 2500;

describe('a share', () => {
  let server: TestServer;
  let other: TestServer;
  let plain: pg.Pool;
  let owner: Client;
  let ownerId: string;
  let token: string;
  before(async () => {
    server = await startTestServer({ isAuthDisabled: false });
    other = await server.another();
    plain = new pg.Pool({ connectionString: server.databaseUrl });
    ({ client: owner, id: ownerId, token } = await newUser());
  });
  after(async () => {
    await plain.end();
    await server.close();
  });

  const newUser = () => registerUser(server);
  const newSession = async () => (await owner.createSession({ title: 'mine' })).session.id;
  const share = async (id: string) => (await owner.shareSession({ id })).share.share_token;
  const by = (shareToken: string) => ({ 'x-share-token': shareToken });
  const guest = (shareToken: string, at = server) => createClient({ baseUrl: at.baseUrl, shareToken });
  const refused = { status: 401, code: 'token_invalid' };
  const isShared = async (id: string) => (await owner.getSession({ id })).snapshot.session.shared;

  /** By the clock of the database, which made it. */
  const lifetimeOf = async (id: string) => {
    const { rows } = await plain.query(
      'select expires_at, extract(epoch from expires_at - created_at)::int as secs from shares where session_id = $1',
      [id],
    );
    return rows[0];
  };

  it('shows its token once, is stored as a hash, and has its token behind the # of its path', async () => {
    const id = await newSession();
    assert.equal(await isShared(id), false);
    const { share: made } = await owner.shareSession({ id });
    assert.match(made.share_token, /^phs_/);
    assert.deepEqual(
      { ...made, share_token: '', expires_at: '' },
      {
        session_id: id,
        live_path: `/api/sessions/${id}/live`,
        share_token: '',
        share_path: `/#session=${id}&share=${made.share_token}`,
        share_page_path: `/share#session=${id}&share=${made.share_token}`,
        expires_at: '',
      },
    );
    assert.deepEqual(
      await lifetimeOf(id),
      { expires_at: new Date(made.expires_at), secs: 86_400 },
      'a day, unless said',
    );
    const { rows } = await plain.query(
      'select row_to_json(shares)::text as text, hash from shares where session_id = $1',
      [id],
    );
    assert.equal(rows.length, 1);
    assert.ok(!rows[0].text.includes(made.share_token.slice(4, 30)));
    assert.deepEqual(rows[0].hash, createHash('sha256').update(made.share_token).digest());
    assert.equal(await isShared(id), true);
    const { sessions } = await owner.listSessions({ limit: 200 });
    assert.equal(sessions.find((one) => one.id === id)?.shared, true);
    const text = [...server.logged, ...other.logged].join('');
    assert.ok(!text.includes(made.share_token.slice(4)));
  });

  it('lasts from a minute to a week', async () => {
    const id = await newSession();
    for (const expires_in_secs of [59, 604_801, 60.5])
      await assert.rejects(owner.shareSession({ id, expires_in_secs }), { code: 'validation_failed' });
    for (const expires_in_secs of [60, 604_800]) {
      const { share: made } = await owner.shareSession({ id, expires_in_secs });
      assert.deepEqual(await lifetimeOf(id), { expires_at: new Date(made.expires_at), secs: expires_in_secs });
    }
  });

  it('opens its session at every server, and no other session', async () => {
    const [id, another] = [await newSession(), await newSession()];
    const shareToken = await share(id);
    await share(another);
    for (const at of [server, other]) {
      assert.equal((await guest(shareToken, at).getSession({ id })).snapshot.session.id, id);
      for (const foreign of [another, newId(), id.toUpperCase(), 'x'])
        await assert.rejects(guest(shareToken, at).getSession({ id: foreign }), { status: 404, code: 'not_found' });
    }
    const watching = await watch(other, id, by(shareToken));
    assert.equal((await watching.until(({ type }) => type === 'snapshot')).type, 'snapshot');
    await watching.close();
  });

  it('is not accepted as a bearer token, and a login takes precedence over it', async () => {
    const id = await newSession();
    const shareToken = await share(id);
    const asBearer = createClient({ baseUrl: server.baseUrl, token: () => shareToken });
    await assert.rejects(asBearer.getSession({ id }), refused);
    const { client: stranger } = await newUser();
    await assert.rejects(stranger.getSession({ id }, { headers: by(shareToken) }), { code: 'not_found' });
    const own = await owner.getSession({ id }, { headers: by('phs_x') });
    assert.equal(own.snapshot.session.title, 'mine');
  });

  it('is made and ended by the owner alone, and is in the audit', async () => {
    const id = await newSession();
    const { client: stranger, id: adminId, token: adminToken } = await newUser();
    await server.store.users.setRole(adminId, 'admin');
    const admin = createClient({ baseUrl: server.baseUrl, token: () => adminToken });
    for (const client of [stranger, admin]) {
      await assert.rejects(client.shareSession({ id }), { code: 'not_found' });
      await assert.rejects(client.unshareSession({ id }), { code: 'not_found' });
    }
    await share(id);
    await share(id);
    for (let i = 0; i < 2; i++) assert.deepEqual(await owner.unshareSession({ id }), { success: true });
    const entries = (await server.store.audit.of(ownerId)).filter(
      ({ data }) => (data as { session_id?: string }).session_id === id,
    );
    const told = entries.filter(({ event }) => event.endsWith('_share'));
    assert.deepEqual(
      told.map(({ event }) => event),
      ['create_share', 'rotate_share', 'revoke_share'],
    );
    for (const entry of told) {
      assert.equal(entry.actor_id, ownerId);
      assert.equal(entry.address, '127.0.0.1');
      assert.ok(!JSON.stringify(entry).includes('phs_'));
    }
  });

  /** Two guests, at two servers, and the owner. */
  async function watched(id: string, shareToken: string) {
    const guests = await Promise.all([server, other].map((at) => watch(at, id, by(shareToken))));
    const own = await watch(server, id, { authorization: `Bearer ${token}` });
    for (const one of [...guests, own]) await one.until(({ type }) => type === 'viewers');
    return { guests, own };
  }
  async function assertEnded({ guests, own }: Awaited<ReturnType<typeof watched>>) {
    await until(() => guests.every((guest) => guest.isOver()), aSecond);
    assert.equal(own.isOver(), false);
    await own.close();
  }
  async function assertRefused(id: string, shareToken: string) {
    for (const at of [server, other]) {
      await assert.rejects(guest(shareToken, at).getSession({ id }), refused);
      const { status, headers } = await fetch(`${at.baseUrl}/api/sessions/${id}/live`, { headers: by(shareToken) });
      assert.equal(status, 401);
      assert.equal(headers.get('www-authenticate'), 'Bearer error="invalid_token"');
    }
  }

  it('that is replaced is over within a second, and the new one is not', async () => {
    const id = await newSession();
    const former = await share(id);
    const all = await watched(id, former);
    const next = await share(id);
    await assertEnded(all);
    await assertRefused(id, former);
    const watching = await watch(other, id, by(next));
    await watching.until(({ type }) => type === 'snapshot');
    assert.equal(watching.isOver(), false);
    await watching.close();
    assert.equal(await isShared(id), true);
  });

  it('that is revoked is over within a second', async () => {
    const id = await newSession();
    const shareToken = await share(id);
    const all = await watched(id, shareToken);
    await owner.unshareSession({ id });
    await assertEnded(all);
    await assertRefused(id, shareToken);
    assert.equal(await isShared(id), false);
  });

  it('that is gone is over within a second, also without a message on the bus', async () => {
    const id = await newSession();
    const shareToken = await share(id);
    const all = await watched(id, shareToken);
    await plain.query('delete from shares where session_id = $1', [id]);
    await assertEnded(all);
  });

  it('that expires is over within a second, by the clock of the database', async () => {
    const id = await newSession();
    const shareToken = await share(id);
    const all = await watched(id, shareToken);
    await plain.query(`update shares set expires_at = now() + interval '1500 ms' where session_id = $1`, [id]);
    const isExpired = async () =>
      (await plain.query('select expires_at <= clock_timestamp() as is_so from shares where session_id = $1', [id]))
        .rows[0].is_so;
    await until(async () => (await isExpired()) || all.guests.some((guest) => guest.isOver()), 10_000);
    assert.ok(await isExpired(), 'not before');
    await assertEnded(all);
    await assertRefused(id, shareToken);
    assert.equal(await isShared(id), false);
  });

  it('ends with its session and when its owner is disabled; a closed session cannot be shared', async () => {
    const id = await newSession();
    const shareToken = await share(id);
    const all = await watched(id, shareToken);
    await owner.deleteSession({ id });
    await assertEnded(all);
    await assertRefused(id, shareToken);
    await assert.rejects(owner.shareSession({ id }), { code: 'conflict' });
    assert.deepEqual(await owner.unshareSession({ id }), { success: true });
    const told = (await server.store.audit.of(ownerId)).find(
      ({ event, data }) => event === 'revoke_share' && (data as { session_id?: string }).session_id === id,
    );
    assert.equal((told?.data as { because?: string } | undefined)?.because, 'closed');

    const { client: ann, id: annId } = await newUser();
    const { session } = await ann.createSession();
    const { share: hers } = await ann.shareSession({ id: session.id });
    const watching = await watch(other, session.id, by(hers.share_token));
    await server.store.users.setDisabled(annId, true);
    await watching.ended;
    await assertRefused(session.id, hers.share_token);
  });

  it('works on a server without authentication, and is refused once authentication is on', async () => {
    const open = await server.another({ isAuthDisabled: true });
    const { session } = await open.client.createSession({ title: 'of nobody' });
    const { share: made } = await open.client.shareSession({ id: session.id });
    const { snapshot } = await guest(made.share_token, open).getSession({ id: session.id });
    assert.equal(snapshot.session.title, null);
    await assert.rejects(guest(`${made.share_token}x`, open).getSession({ id: session.id }), refused);
    await assert.rejects(guest(made.share_token).getSession({ id: session.id }), refused);
    const strange = await fetch(`${open.baseUrl}/api/sessions/${session.id}`, {
      headers: { ...by(made.share_token), origin: 'http://elsewhere.test' },
    });
    assert.equal(strange.status, 400);
  });
});
