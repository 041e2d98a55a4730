import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { SessionView } from '@pilothouse/bus';
import type { LiveEvent } from '@pilothouse/contract';
import { type Client, createClient } from '@pilothouse/sdk';
import { type ActorSets, openActorSets } from '../../testing/actors.ts';
import { type DrivenHost, startDrivenHost } from '../../testing/driven-host.ts';
import { watch } from '../../testing/guests.ts';
import { startTestServer, type TestServer } from '../../testing/server.ts';
import { viewFor } from './session-view.ts';

const dialog = {
  dialog_id: 'd1',
  kind: 'prompt',
  message: 'the secret question',
  default_value: 'the secret default',
  expires_at: '2026-11-17T10:00:00.000Z',
} as const;
const asks = { page: 'p1', dialog, file_chooser: null, select: null, picker: null };
const tab = { page: 'p1', url: 'https://bank.test/account', title: 'Account', is_front: true };
const copied = { number: 1, text: 'the copied secret', truncated: false };
const drivenView = (epoch: number): Omit<SessionView, 'version'> => ({
  epoch,
  pages: [{ ...tab, private: true, private_reason: 'driven' }],
  driver: asks,
  copied,
});

describe('what a viewer may know of the view of a session', () => {
  const driver = { userId: 'ada', epoch: 5 };
  const see = (view: Omit<SessionView, 'version'>, userId: string | undefined, isOwner: boolean, drives = true) =>
    viewFor(
      { version: 'a 1', ...view },
      { sessionId: 's', driver: drives ? driver : null, viewer: { userId, isOwner } },
    );

  it('everything for the driver under the epoch of the takeover, and nothing for anyone else', () => {
    const seen = see(drivenView(5), 'ada', false);
    assert.deepEqual(seen.driver_view, { epoch: 5, ...asks });
    assert.deepEqual(seen.copied?.text, { text: 'the copied secret', truncated: false });
    const { page, url, title } = tab;
    assert.deepEqual(seen.pages, [{ session: 's', page, frame: null, active: true, url, title }]);
    const none = { pages: [], driver_view: null, copied: null };
    assert.deepEqual(see(drivenView(5), 'eve', true), none, 'the owner, who does not drive');
    assert.deepEqual(see(drivenView(4), 'ada', true), none, 'of the driver before');
    assert.deepEqual(see(drivenView(6), 'ada', true), none, 'of the next driver');
    assert.deepEqual(see(drivenView(5), 'ada', true, false), none, 'after the takeover');
    assert.deepEqual(see(drivenView(5), undefined, false), none, 'a guest');
  });

  it('why a page has failed, for those alone who may know its address', () => {
    const trouble = { kind: 'refused' as const, target: '10.0.0.1:80', reason: 'private_address' };
    const view = (privacy: object) => ({
      ...drivenView(5),
      driver: null,
      pages: [{ ...tab, private: false, trouble, ...privacy }],
    });
    const troubles = (privacy: object, isOwner: boolean) =>
      see(view(privacy), 'eve', isOwner, false).pages.map((page) => page.trouble);
    assert.deepEqual(troubles({}, true), [trouble]);
    assert.deepEqual(troubles({ private: true }, true), [undefined]);
    assert.deepEqual(troubles({ private: true, private_reason: 'secret_field' }, false), [undefined]);
  });

  it('the address of a page by the rule of its picture, and no address while a person drives whom the host does not know', () => {
    const of = (privacy: Partial<SessionView['pages'][number]>) => ({
      ...drivenView(5),
      driver: null,
      copied: null,
      pages: [{ ...tab, private: false, ...privacy }],
    });
    const urls = (view: Omit<SessionView, 'version'>, isOwner: boolean, drives: boolean) =>
      see(view, 'eve', isOwner, drives).pages.map(({ url }) => url);
    assert.deepEqual(urls(of({}), false, false), [tab.url]);
    assert.deepEqual(urls(of({ private: true, private_reason: 'secret_field' }), true, false), [tab.url]);
    assert.deepEqual(urls(of({ private: true, private_reason: 'secret_field' }), false, false), [null]);
    assert.deepEqual(urls(of({ private: true }), true, false), [null]);
    assert.deepEqual(urls(of({}), true, true), []);
  });
});

describe('the view of a session in its streams', () => {
  let server: TestServer;
  let host: DrivenHost;
  let actorSets: ActorSets;
  before(async () => {
    server = await startTestServer({ isAuthDisabled: false });
    host = await startDrivenHost(server);
    actorSets = await openActorSets({ server, gate: server, brief: server });
  });
  after(async () => {
    await host.close();
    await server.close();
  });
  const isDriverView = (event: LiveEvent) => event.type === 'driver_view' && event.driver_view !== null;
  const kinds = (events: LiveEvent[]) => events.map(({ type }) => type);

  it('reaches the driver in snapshot and stream, no other viewer, and is gone after handing back', async () => {
    const actors = await actorSets.newActors();
    const tokens = { owner: await actors.bearerOf('owner'), admin: await actors.bearerOf('admin') };
    const bearer = (who: 'owner' | 'admin') => ({ authorization: `Bearer ${tokens[who]}` });
    const client: Client = createClient({ baseUrl: server.baseUrl, token: () => tokens.owner ?? '' });
    const { session } = await client.createSession();
    const { id } = session;
    const { share } = await client.shareSession({ id });
    const browser = await host.open(id);
    browser.show({ ...drivenView(browser.epoch()), driver: null, copied: null, pages: [{ ...tab, private: false }] });
    const owner = await watch(server, id, bearer('owner'));
    const admin = await watch(server, id, bearer('admin'));
    const guest = await watch(server, id, { 'x-share-token': share.share_token });
    const shown = await owner.until(({ type }) => type === 'pages');
    assert.ok(shown.type === 'pages');
    assert.deepEqual(
      shown.pages.map(({ url, active }) => ({ url, active })),
      [{ url: tab.url, active: true }],
    );

    const { takeover } = await client.requestSessionTakeover({ id });
    assert.equal(takeover.status, 'active');
    browser.show(drivenView(takeover.epoch));
    const told = await owner.until(isDriverView);
    assert.ok(told.type === 'driver_view');
    assert.deepEqual(told.driver_view, { epoch: takeover.epoch, ...asks });
    await owner.until(({ type }) => type === 'copied');
    const { snapshot } = await client.getSession({ id });
    assert.deepEqual(snapshot.driver_view, told.driver_view);
    assert.equal(snapshot.route_summary.pages[0]?.title, 'Account');
    const response = await fetch(`${server.baseUrl}/api/sessions/${id}`, { headers: bearer('admin') });
    const foreign = await response.text();
    await admin.until((event) => event.type === 'pages' && event.pages.length === 0);

    await client.movePointer({ id, action: 'choose_option', select_id: 'f1', option: 2 });
    assert.equal(browser.done.at(-1)?.action, 'choose_option');
    await client.resumeSessionTakeover({ id });
    await owner.until((event) => event.type === 'driver_view' && event.driver_view === null);
    assert.equal((await client.getSession({ id })).snapshot.driver_view, null);
    for (const [who, text] of Object.entries({ admin: admin.text(), guest: guest.text(), foreign }))
      assert.ok(!/secret|"driver_view":\{/.test(text), who);
    assert.ok(!kinds(guest.events()).some((kind) => kind === 'pages' || kind === 'driver_view'));
    assert.equal(kinds(owner.events()).filter((kind) => kind === 'copied').length, 1, 'once for each text');
    assert.ok(!server.logged.join('\n').includes('secret'));
    const { rows } = await server.store.transaction(({ client: db }) =>
      db.query('select data::text from events where session_id = $1', [id]),
    );
    assert.ok(rows.length > 0 && !JSON.stringify(rows).includes('secret'), 'nothing is stored');
    await Promise.all([owner.close(), admin.close(), guest.close()]);
  });
});
