import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { type Bus, connectBus, frame, sessionCommand } from '@pilothouse/bus';
import type { BrowserRoute } from '@pilothouse/contract';
import { createClient } from '@pilothouse/sdk';
import { localUser, newId } from '@pilothouse/store';
import { until } from '../../../../testkit/until.ts';
import { watch } from '../../testing/guests.ts';
import { startTestServer, type TestServer } from '../../testing/server.ts';

const url = 'https://bank.test/reset/sesame?code=sesame#sesame';

describe('what a share shows', () => {
  let server: TestServer;
  let host: Bus;
  /** Whether the picture of a look is private. */
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

  /** Assigns the browser to the host, and returns a function that sends a frame. */
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
      if (command.type === 'take')
        return { head: { ok: true, type: 'taken', cut: null } as const, body: new Uint8Array() };
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

  it('are the frames that are not private; of private ones, only that there are some', async () => {
    const { id, headers } = await newShared();
    isPrivate = true;
    const send = await openAtHost(id);
    const [own, shared] = [await watch(server, id, {}), await watch(server, id, headers)];
    const has = (text: string) => (event: { type: string }) => JSON.stringify(event).includes(base64(text));
    const isWithheld = (event: { type: string }) =>
      event.type === 'frame' && JSON.stringify(event).includes('"private":true');
    /** Sent until the owner has seen it: the server first has to read which host holds the browser. */
    const show = (text: string, isFramePrivate: boolean) =>
      until(() => {
        send(text, isFramePrivate);
        return own.events().some(isFramePrivate ? isWithheld : has(text));
      }, 10_000);
    await show('for all', false);
    await shared.until(has('for all'));
    await show('a password', true);
    // A viewer who comes now is not shown the last frame, only that there is one.
    const late = await watch(server, id, headers);
    await late.until(isWithheld);
    await show('again for all', false);
    await shared.until(has('again for all'));
    await late.until(has('again for all'));

    // No person drives, so no viewer may see it, not even the owner.
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

  it('are no frames of a person who drives', async () => {
    const { id, guest, headers } = await newShared();
    isPrivate = false;
    const send = await openAtHost(id);
    const { takeover } = await server.client.requestSessionTakeover({ client_id: 'sesame', id });
    assert.equal(takeover.status, 'active');
    const [own, shared] = [await watch(server, id, {}), await watch(server, id, headers)];
    await until(() => {
      send('by hand', true, takeover.epoch);
      return own.text().includes(base64('by hand'));
    }, 10_000);
    // What the guest was sent of these frames came before this.
    const third = await watch(server, id, {});
    await shared.until((event) => event.type === 'viewers' && event.viewers === 3);
    assert.ok(!shared.text().includes(base64('by hand')));
    const { last_frame } = (await guest.getSession({ id })).snapshot;
    assert.deepEqual([last_frame?.private, last_frame?.route.url], [true, null]);
    assert.notEqual(last_frame?.screenshot_base64, base64('looked at'));
    for (const one of [own, shared, third]) await one.close();
  });

  it('is the last frame in the detail, unless it is private: then neither the frame nor its address', async () => {
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
    assert.deepEqual(own.last_frame?.screenshot_base64, hidden.last_frame?.screenshot_base64, 'no person drives');
  });

  it('is the same for a stored frame', async () => {
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

  it('has no typed text, no driver and no clicks of a person', async () => {
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
    const held = {
      expires_at: at,
      requested_by: 'Sesame',
      held_by: 'Sesame',
      held_by_name: 'Sesame',
      client_id: 'Sesame',
      epoch: 1,
    };
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
    // The last one: the events before it have arrived.
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

  it('has no event from before the share, whatever the cursor', async () => {
    const { store, client } = server;
    const { session } = await client.createSession();
    const { task_id } = await client.sendChat({
      prompt: 'x',
      steps: [{ action: 'screenshot' }],
      session_id: session.id,
    });
    const say = async (words: string) => {
      const point = { x: 1, y: 1 };
      const drawn = {
        session_id: session.id,
        task_id,
        step_id: null,
        source: 'execution',
        label: 'x',
        bbox: null,
        data: {},
      };
      const overlay = { ...drawn, overlay_id: words, kind: 'click', point };
      await store.change(session.id, async (_tx, append) => {
        await append({ taskId: task_id, kind: 'overlay', data: { overlay } });
      });
    };
    const followFrom = async (token: string, query: string, bundled: boolean) => {
      const path = bundled
        ? `/api/streams?stream=${encodeURIComponent(`live:${session.id}@${query}`)}`
        : `/api/sessions/${session.id}/live?cursor=${query}`;
      const headers = { 'x-share-token': token };
      const { body } = await fetch(server.baseUrl + path, { headers, signal: AbortSignal.timeout(10_000) });
      assert.ok(body);
      let text = '';
      for await (const piece of body.pipeThrough(new TextDecoderStream())) {
        text += piece;
        if (text.includes('"last"')) break;
      }
      return text;
    };
    await say('before');
    const first = (await client.shareSession({ id: session.id })).share.share_token;
    await say('between');
    await say('last');
    for (const cursor of ['0', '1'])
      for (const bundled of [false, true]) {
        const text = await followFrom(first, cursor, bundled);
        assert.ok(!text.includes('"before"') && text.includes('"between"'), text);
        assert.ok(!text.includes('"task"'), 'that it was begun was before, too');
      }
    // A second share begins when it is made, and not when the first one did.
    const second = (await client.shareSession({ id: session.id })).share.share_token;
    await say('last');
    const text = await followFrom(second, '0', false);
    assert.ok(!text.includes('"between"'), text);
    const cursor = Number(/id: (\d+)/.exec(text)?.[1]);
    assert.ok(
      !(await followFrom(second, String(cursor - 1), false)).includes('"between"'),
      'and goes on by its cursors',
    );
  });
});
