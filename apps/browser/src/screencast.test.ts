import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Bus, connectBus, type Frame, frame } from '@pilothouse/bus';
import { type NatsForTest, startNats } from '@pilothouse/bus/testing';
import { isId } from '@pilothouse/contract';
import { drive, type HostForTest, startHost } from '../testing/host.ts';
import { type Site, startSite } from '../testing/site.ts';
import { until } from '../testing/until.ts';

describe('the screencast', () => {
  let nats: NatsForTest;
  let site: Site;
  let agent: Bus;
  let viewer: Bus;
  let host: HostForTest;
  let session: ReturnType<typeof drive>;
  let frames: Frame[];
  before(async () => {
    [nats, site] = await Promise.all([startNats({ hosts: ['h4'] }), startSite()]);
    agent = await connectBus(nats.as('agent'));
    viewer = await connectBus(nats.as('server'));
    host = await startHost(nats, 'h4');
    session = drive(agent, 'h4');
    await session.open();
    const listening = viewer.subscribe(frame, { session_id: session.sessionId }, (one) => void frames.push(one));
    await listening.ready({ timeoutMs: 2000 });
  });
  after(async () => {
    await host?.close();
    await agent?.close();
    await viewer?.close();
    await site?.close();
    await nats?.close();
  });
  const arrived = async (isIt: (one: Frame) => boolean): Promise<Frame> => {
    await until(() => frames.some(isIt), 2000);
    return frames.find(isIt) as Frame; // just seen
  };
  const go = (path: string) => session.act({ action: 'navigate', url: `${site.url}${path}` });

  it('sends nothing while nobody watches, then the present picture at once, then what changes', async () => {
    frames = [];
    await go('/form');
    await sleep(200);
    assert.equal(frames.length, 0);

    const begun = performance.now();
    await session.tell({ type: 'watch', for_ms: 5000 });
    const first = await arrived(() => true);
    console.log(`watch to first frame: ${Math.round(performance.now() - begun)} ms`);
    const { frame_id, recorded_at, ...header } = first.header;
    assert.ok(isId(frame_id) && Date.parse(recorded_at) > 0);
    assert.deepEqual(header, {
      session_id: session.sessionId,
      epoch: 1,
      seq: 1,
      content_type: 'image/jpeg',
      width: 1280,
      height: 720,
      device_scale: 1,
      scroll: { x: 0, y: 0 },
      page: 'p1',
      url: `${site.url}/form`,
      title: 'Form',
      private: false,
    });
    await session.act({ action: 'type', target: 'Name', text: 'somebody' });
    await arrived((one) => Buffer.compare(one.image, first.image) !== 0);

    const look = await session.tell({ type: 'look' });
    assert.ok(look.head.ok && look.head.type === 'seen');
    assert.deepEqual(Buffer.from(look.body), Buffer.from(frames.at(-1)?.image ?? []), 'a look costs no new picture');
  });

  it('follows to another site, and to the page that a page opens', async () => {
    await session.tell({ type: 'watch', for_ms: 5000 });
    frames = [];
    await session.act({ action: 'navigate', url: `${site.url.replace('127.0.0.1', 'localhost')}/form` });
    await arrived(({ header }) => header.url?.startsWith('http://localhost') === true);
    await session.act({ action: 'click', target: 'Open popup' });
    const { header } = await arrived((one) => one.header.title === 'Popup');
    assert.equal(header.page, 'p2');
  });

  it('keeps to its rate on a page that never rests, and stops when the time is over', async () => {
    await go('/moving');
    await session.tell({ type: 'watch', for_ms: 5000 });
    await sleep(200);
    frames = [];
    await sleep(1000);
    assert.ok(frames.length >= 5 && frames.length <= 11, `${frames.length} frames in a second`);
    const seqs = frames.map(({ header }) => header.seq);
    assert.deepEqual(
      seqs,
      [...new Set(seqs)].sort((a, b) => a - b),
      'numbered in order',
    );

    // Watching is only ever extended, so this session's time ends with the longest that was asked for.
    await sleep(4200);
    frames = [];
    await sleep(500);
    assert.equal(frames.length, 0);
  });
});
