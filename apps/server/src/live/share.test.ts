import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Bus, connectBus, frame, sessionCommand } from '@pilothouse/bus';
import type { BrowserRoute } from '@pilothouse/contract';
import { createClient } from '@pilothouse/sdk';
import { localUser, newId } from '@pilothouse/store';
import { watch } from '../../testing/guests.ts';
import { startTestServer, type TestServer } from '../../testing/server.ts';

const url = 'https://bank.test/reset/sesame?code=sesame#sesame';

describe('what a share shows', () => {
  let server: TestServer;
  let host: Bus;
  /** What the host answers to who looks. */
  let isPrivate = false;
  before(async () => {
    server = await startTestServer({ isAuthDisabled: true });
    host = await connectBus({ ...server.nats.as({ host: 'browser-1' }), name: 'a host' });
  });
  after(async () => {
    await host.close();
    await server.close();
  });

  const routeOf = (session: string): BrowserRoute => ({ session, page: 'p1', frame: null, url, title: 'Sesame' });
  async function newShared() {
    const { session } = await server.client.createSession({ title: 'Sesame', profile_label: 'Sesame' });
    const { share } = await server.client.shareSession({ id: session.id });
    const shareToken = share.share_token;
    return {
      id: session.id,
      guest: createClient({ baseUrl: server.baseUrl, shareToken }),
      headers: { 'x-share-token': shareToken },
    };
  }
  const base64 = (text: string) => Buffer.from(text).toString('base64');

  /** Puts the session at the host, which sends frames from then on when it is told to. */
  async function openAtHost(id: string) {
    const bootId = randomUUID();
    const { store } = server;
    await store.hosts.renew({ hostId: 'browser-1', bootId, capacity: 1, sessions: [], leaseMs: 60_000 });
    await store.transaction(async (tx) => {
      await store.browsers.assign(tx, id, { id: 'browser-1', bootId }, 0);
      await store.sessions.setBrowser(tx, id, 'live');
    });
    const responder = host.respond(sessionCommand, { host_id: 'browser-1', session_id: id }, async (command) => {
      if (command.type === 'watch') return { head: { ok: true, type: 'watching' } as const, body: new Uint8Array() };
      const size = { width: 800, height: 600, device_scale: 1 };
      const picture = { content_type: 'image/jpeg', ...size, route: routeOf(id), private: isPrivate } as const;
      return { head: { ok: true, type: 'seen', picture } as const, body: Buffer.from('looked at') };
    });
    await responder.ready({ timeoutMs: 5000 });
    let seq = 0;
    const publisher = host.publishNewest(frame, { host_id: 'browser-1', session_id: id });
    return (text: string, isFramePrivate: boolean, epoch = 1) => {
      seq += 1;
      const size = { width: 800, height: 600, device_scale: 1, scroll: { x: 0, y: 0 } };
      const { page, title } = routeOf(id);
      const made = { frame_id: newId(), recorded_at: new Date().toISOString(), content_type: 'image/jpeg' as const };
      publisher.put({
        header: { ...made, ...size, session_id: id, epoch, seq, page, url, title, private: isFramePrivate },
        image: Buffer.from(text),
      });
    };
  }

  it('are the frames that are not private, in the stream; of those, only that there are some', async () => {
    const { id, headers } = await newShared();
    isPrivate = true;
    const send = await openAtHost(id);
    const [own, shared] = [await watch(server, id, {}), await watch(server, id, headers)];
    const has = (text: string) => (event: { type: string }) => JSON.stringify(event).includes(base64(text));
    const isWithheld = (event: { type: string }) =>
      event.type === 'frame' && JSON.stringify(event).includes('"private":true');
    /** Sent until the owner has seen it: the server first has to learn which host to believe. */
    const show = async (text: string, isFramePrivate: boolean) => {
      const late = AbortSignal.timeout(10_000);
      while (!own.events().some(isFramePrivate ? isWithheld : has(text))) {
        send(text, isFramePrivate);
        await sleep(50, undefined, { signal: late });
      }
    };
    await show('for all', false);
    await shared.until(has('for all'));
    await show('a password', true);
    // Who comes now is not shown the one that is kept, only that there is one.
    const late = await watch(server, id, headers);
    await late.until(isWithheld);
    await show('again for all', false);
    await shared.until(has('again for all'));
    await late.until(has('again for all'));

    // Nobody drives, so it is nobody's: not even the owner's.
    for (const { text } of [own, shared, late]) {
      assert.ok(!text().includes(base64('a password')));
      assert.ok(!text().includes(base64('looked at')), 'the snapshot has none either');
    }
    for (const { text } of [shared, late]) {
      assert.ok(!text().includes('sesame'), text());
      assert.ok(text().includes('"url":"https://bank.test/"'));
    }
    assert.ok(own.text().includes('sesame'));
    for (const one of [own, shared, late]) await one.close();
  });

  it('are none of what a person does who has the wheel', async () => {
    const { id, guest, headers } = await newShared();
    isPrivate = false;
    const send = await openAtHost(id);
    const { takeover } = await server.client.requestSessionTakeover({ id });
    assert.equal(takeover.status, 'active');
    const [own, shared] = [await watch(server, id, {}), await watch(server, id, headers)];
    const late = AbortSignal.timeout(10_000);
    while (!own.text().includes(base64('by hand'))) {
      send('by hand', true, takeover.epoch);
      await sleep(50, undefined, { signal: late });
    }
    await shared.until(({ type }) => type === 'viewers');
    await sleep(200);
    assert.ok(!shared.text().includes(base64('by hand')));
    const { last_frame } = (await guest.getSession({ id })).snapshot;
    assert.deepEqual([last_frame?.private, last_frame?.route.url], [true, null]);
    assert.notEqual(last_frame?.screenshot_base64, base64('looked at'));
    for (const one of [own, shared]) await one.close();
  });

  it('is the last frame in the detail, unless it is private: then neither it nor where it was', async () => {
    const { id, guest } = await newShared();
    await openAtHost(id);
    isPrivate = false;
    const { snapshot } = await guest.getSession({ id });
    assert.equal(snapshot.last_frame?.screenshot_base64, base64('looked at'));
    assert.equal(snapshot.route_summary.current.url, 'https://bank.test/');
    isPrivate = true;
    const { snapshot: hidden } = await guest.getSession({ id });
    assert.deepEqual([hidden.last_frame?.private, hidden.last_frame?.content_type], [true, 'image/png']);
    assert.notEqual(hidden.last_frame?.screenshot_base64, base64('looked at'));
    assert.ok(!JSON.stringify(hidden).includes('bank.test'));
    const { snapshot: own } = await server.client.getSession({ id });
    assert.deepEqual(own.last_frame?.screenshot_base64, hidden.last_frame?.screenshot_base64, 'nobody drives');
  });

  it('is the same of a frame that was kept', async () => {
    const { store } = server;
    await store.blobs.put('share/kept.jpg', Buffer.from('kept'));
    for (const isKeptPrivate of [false, true]) {
      const { id, guest } = await newShared();
      await store.change(id, async (tx, append) => {
        const { seq, recordedAt } = await append({ kind: 'status', data: { session: { id } } });
        await store.frames.put(tx, {
          session_id: id,
          frame_id: newId(),
          seq,
          recorded_at: recordedAt,
          content_type: 'image/jpeg',
          width: 1,
          height: 1,
          device_scale: 1,
          route: JSON.stringify(routeOf(id)),
          blob_key: 'share/kept.jpg',
          byte_len: 4,
          private: isKeptPrivate,
        });
      });
      const { snapshot } = await guest.getSession({ id });
      const own = (await server.client.getSession({ id })).snapshot;
      for (const { last_frame } of [snapshot, own]) {
        assert.equal(last_frame?.screenshot_base64 === base64('kept'), !isKeptPrivate);
        assert.equal(last_frame?.private, isKeptPrivate);
      }
    }
  });

  it('is nothing that a person typed, nor who drives, nor where a person clicked', async () => {
    const { store, client } = server;
    const { id, guest, headers } = await newShared();
    const steps = [{ action: 'navigate' as const, url, title: 'Sesame' }];
    const { task_id } = await client.sendChat({ prompt: 'Sesame', steps, session_id: id });
    const [own, shared] = [await watch(server, id, {}), await watch(server, id, headers)];
    const at = new Date().toISOString();
    const overlay = { session_id: id, task_id, step_id: null, kind: 'click', bbox: null, data: { text: 'Sesame' } };
    const progress = {
      status: 'failed',
      total_steps: 1,
      current_step: 1,
      current_step_title: 'Sesame',
      started_at: at,
    };
    const takeover = { takeover_id: newId(), status: 'active', requested_at: at, activated_at: at, ended_at: null };
    const held = { expires_at: at, requested_by: 'Sesame', held_by: 'Sesame', epoch: 1, reason: 'Sesame' };
    const told = [
      {
        kind: 'overlay',
        data: {
          overlay: { ...overlay, overlay_id: 'o1', source: 'execution', label: 'Sesame', point: { x: 1, y: 1 } },
        },
      },
      {
        kind: 'overlay',
        data: { overlay: { ...overlay, overlay_id: 'o2', source: 'human', label: 'x', point: { x: 7777, y: 1 } } },
      },
      { kind: 'route', data: { route: routeOf(id), pages: [routeOf(id)] } },
      { kind: 'takeover', data: { takeover: { ...takeover, ...held, route: routeOf(id) } } },
      { kind: 'message_state', data: { message_state: { task_prompt: 'Sesame', items: [], pending_question: null } } },
      { kind: 'status', data: { status: { ...progress, finished_at: at, last_error: 'Sesame', last_updated_at: at } } },
    ];
    await store.change(id, async (_tx, append) => {
      for (const event of told) await append({ taskId: task_id, ...event });
    });
    // The last of them: what comes before it has come.
    const isLast = (event: { type: string }) => event.type === 'task' && JSON.stringify(event).includes('"failed"');
    await own.until(isLast);
    await shared.until(isLast);

    const kindsOf = (events: { type: string }[]) => [...new Set(events.map(({ type }) => type))].sort();
    assert.deepEqual(kindsOf(shared.events()), ['overlay', 'snapshot', 'task', 'viewers']);
    assert.ok(['route', 'takeover', 'message_state'].every((kind) => kindsOf(own.events()).includes(kind)));
    const { snapshot } = await guest.getSession({ id });
    assert.equal(snapshot.session.last_task_id, task_id);
    assert.deepEqual(
      snapshot.overlays.map(({ overlay_id, label }) => [overlay_id, label]),
      [['o1', 'click']],
    );
    for (const text of [shared.text(), JSON.stringify(snapshot)]) {
      assert.doesNotMatch(text, /sesame/i);
      assert.ok(!text.includes('7777'));
      assert.ok(!text.includes(localUser.id));
    }
    assert.match(JSON.stringify((await client.getSession({ id })).snapshot), /sesame/i);
    for (const one of [own, shared]) await one.close();
  });
});
