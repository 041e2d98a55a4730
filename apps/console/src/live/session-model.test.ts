import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Frame, LiveEvent, Overlay, Snapshot, Takeover } from './api-types.ts';
import { applyLive, restoreSession, withTakeover } from './session-model.ts';

const id = '0198c4a1-0000-7000-8000-000000000001';
const recorded_at = '2026-11-01T12:00:00.000Z';
const at = (url: string | null) => ({ session: id, page: url && 'p1', frame: null, url, title: url && 'Shop' });
const frame: Frame = {
  frame_id: id,
  session_id: id,
  task_id: null,
  seq: 1,
  recorded_at,
  content_type: 'image/jpeg',
  width: 1280,
  height: 720,
  device_scale: 1,
  screenshot_base64: 'AAAA',
  route: at('http://shop.test/'),
  private: false,
};
const overlay: Overlay = {
  overlay_id: 'o1',
  session_id: id,
  task_id: id,
  step_id: 's1',
  seq: 7,
  recorded_at,
  source: 'execution',
  kind: 'click',
  label: 'Click',
  bbox: null,
  point: null,
  data: {},
};
const takeover: Takeover = {
  takeover_id: id,
  status: 'requested',
  requested_at: recorded_at,
  activated_at: null,
  ended_at: null,
  expires_at: recorded_at,
  requested_by: 'me',
  held_by: null,
  epoch: 1,
  reason: null,
  route: at(null),
};
const snapshot: Snapshot = {
  session: {
    id,
    status: 'active',
    browser: 'live',
    last_task_id: id,
    live_path: '',
    profile_id: null,
    profile_label: null,
    title: 'Stores',
    created_at: recorded_at,
    updated_at: recorded_at,
    last_event_at: null,
    shared: false,
    viewers: 1,
    recording: false,
  },
  last_frame: frame,
  overlays: [overlay],
  route_summary: {
    current: at('http://shop.test/'),
    pages: [at('http://shop.test/')],
    history: [{ recorded_at, page: 'p1', url: 'http://shop.test/', title: 'Shop' }],
  },
  message_state: null,
  takeover: null,
  cursor: '12',
};
const logged = (seq: number) => ({ seq, session_id: id, recorded_at });

describe('the view of a session', () => {
  it('is restored from the snapshot alone, without the bytes of the picture', () => {
    const view = restoreSession(snapshot);
    assert.equal(view.route.url, 'http://shop.test/');
    assert.equal(view.overlays.length, 1);
    assert.equal(view.frame?.width, 1280);
    assert.ok(!JSON.stringify(view).includes('AAAA'));
  });

  it('is where the last frame was while the browser rests', () => {
    const resting = restoreSession({ ...snapshot, route_summary: { current: at(null), pages: [], history: [] } });
    assert.equal(resting.route.url, 'http://shop.test/');
  });

  it('goes on by seq: an older event changes nothing', () => {
    const view = restoreSession(snapshot);
    const active: LiveEvent = {
      type: 'takeover',
      ...logged(9),
      task_id: id,
      takeover: { ...takeover, status: 'active' },
    };
    const next = applyLive(view, active);
    assert.equal(next.takeover?.status, 'active');
    assert.equal(applyLive(next, { type: 'takeover', ...logged(8), task_id: id, takeover }), next);
    const here = withTakeover(next, { ...takeover, status: 'active', client_id: 'b', client_no: 2 });
    const late = { ...takeover, status: 'active', client_id: 'a', client_no: 1 } as const;
    assert.equal(withTakeover(here, late), here, 'an event of the window that counted before changes nothing');
    assert.equal(applyLive(next, active), next);
  });

  it('keeps why a page has failed, which the log of routes does not tell, until the browser says otherwise', () => {
    const trouble = { kind: 'refused' as const, target: '10.0.0.1:80', reason: 'private_address' };
    const failed = { ...at('http://10.0.0.1/'), active: true };
    const route = (number: number, there: typeof failed): LiveEvent => ({
      ...{ type: 'route', seq: number, session_id: id, recorded_at, route: there, pages: [there] },
    });
    const told = applyLive(restoreSession(snapshot), { type: 'pages', pages: [{ ...failed, trouble }] });
    assert.deepEqual(applyLive(told, route(30, failed)).pages, [{ ...failed, trouble }]);
    const elsewhere = { ...failed, url: 'http://shop.test/' };
    assert.deepEqual(applyLive(told, route(30, elsewhere)).pages, [elsewhere]);
    assert.deepEqual(applyLive(told, { type: 'pages', pages: [failed] }).pages, [failed]);
  });

  it('takes routes, overlays, states and messages', () => {
    const there = at('http://shop.test/basket');
    const events: LiveEvent[] = [
      { type: 'route', ...logged(20), route: there, pages: [there] },
      { type: 'overlay', ...logged(21), task_id: id, overlay: { ...overlay, overlay_id: 'o2', seq: 21 } },
      { type: 'status', ...logged(22), session: { id, status: 'idle', browser: 'cold', last_task_id: id } },
      {
        type: 'message_state',
        ...logged(23),
        task_id: id,
        message_state: { task_prompt: 'p', items: [], pending_question: null },
      },
      { type: 'viewers', viewers: 3 },
    ];
    const view = events.reduce(applyLive, restoreSession(snapshot));
    assert.equal(view.route.url, there.url);
    assert.deepEqual(
      view.history.map(({ url }) => url),
      ['http://shop.test/', there.url],
    );
    assert.deepEqual(
      view.overlays.map(({ overlay_id }) => overlay_id),
      ['o1', 'o2'],
    );
    assert.equal(view.session.browser, 'cold');
    assert.equal(view.session.title, 'Stores', 'what the event does not name stays');
    assert.equal(view.messages?.task_prompt, 'p');
    assert.equal(view.viewers, 3);
  });

  it('keeps the window that drives when a snapshot from before its claim comes late', () => {
    const claimed = { ...takeover, status: 'active', client_id: 'b', client_no: 2 } as const;
    const view = withTakeover(restoreSession(snapshot), claimed);
    const before = { ...snapshot, takeover: { ...claimed, client_id: 'a', client_no: 1 } };
    assert.equal(restoreSession(before, view).takeover?.client_id, 'b');
    assert.equal(applyLive(view, { type: 'snapshot', snapshot: before }).takeover?.client_id, 'b');
    const after = { ...snapshot, takeover: { ...claimed, client_id: 'c', client_no: 3 } };
    assert.equal(restoreSession(after, view).takeover?.client_id, 'c');
    assert.equal(restoreSession(snapshot, view).takeover, null, 'it has ended');
  });

  it('is the same object after a frame that differs only in its picture', () => {
    const view = restoreSession(snapshot);
    assert.equal(applyLive(view, { type: 'frame', frame: { ...frame, seq: 2, screenshot_base64: 'BBBB' } }), view);
    const hidden = { ...frame, private: true, private_reason: 'driven' as const };
    assert.equal(applyLive(view, { type: 'frame', frame: hidden }).frame?.private_reason, 'driven');
    const there = { ...hidden, route: at('http://shop.test/driven') };
    const driven = applyLive(view, { type: 'frame', frame: there });
    assert.equal(driven.route.url, 'http://shop.test/driven', 'no route is told while a person drives');
    assert.equal(driven.pages[0]?.url, 'http://shop.test/driven');
  });

  it('keeps few overlays', () => {
    let view = restoreSession(snapshot);
    for (let seq = 10; seq < 200; seq += 1)
      view = applyLive(view, {
        type: 'overlay',
        ...logged(seq),
        task_id: id,
        overlay: { ...overlay, overlay_id: `o${seq}`, seq },
      });
    assert.equal(view.overlays.length, 24);
    assert.equal(view.overlays.at(-1)?.overlay_id, 'o199');
  });
});
