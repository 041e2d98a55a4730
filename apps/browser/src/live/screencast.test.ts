import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Bus, connectBus, type Frame, frame } from '@pilothouse/bus';
import { type NatsForTest, startNats } from '@pilothouse/bus/testing';
import { isId } from '@pilothouse/contract';
import { until } from '../../../../testkit/until.ts';
import { drive, type HostForTest, startHost } from '../../testing/host.ts';
import { type Site, startSite } from '../../testing/site.ts';

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
    // The picture changes twice. A frame of it would have arrived when NATS answers the viewer's ping.
    await session.act({ action: 'type', target: 'Name', text: 'anybody' });
    await session.act({ action: 'screenshot' });
    await viewer.ping({ timeoutMs: 2000 });
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

    const { head, body } = await session.tell({ type: 'look' });
    assert.ok(head.ok && head.type === 'seen');
    // A look costs no new picture: what it shows is one of the frames, though that one may still be on its way.
    await arrived((one) => Buffer.compare(one.image, body) === 0);
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

  it('tells a new title that no frame would tell', async () => {
    await show('<title>Before</title>');
    await session.tell({ type: 'watch', for_ms: 5000 });
    await arrived(({ header }) => header.title === 'Before');
    await show('<title>One</title><script>setTimeout(() => { document.title = "Another" }, 500)</script>');
    await arrived(({ header }) => header.title === 'Another');
  });

  it('shows the last state of a page that came to rest', async () => {
    for (let round = 0; round < 10; round++) {
      await session.tell({ type: 'watch', for_ms: 4000 });
      frames = [];
      const last = round % 2 === 0 ? 'words' : 'blank';
      await show(changing({ times: 11, everyMs: 10 + round * 3, last }));
      await until(() => frames.some(({ header }) => header.title === 'rested'), 3000);
      await until(() => kindOf(frames.at(-1)) === last, 1000).catch(() => assert.fail(`${last} in round ${round}`));
    }
  });

  it('shows a page at rest again to a viewer that lost its last frame, and to no other', async () => {
    await go('/form');
    const watch = (seen?: string | null) => session.tell({ type: 'watch', for_ms: 4000, seen });
    await watch();
    await arrived(({ header }) => header.title === 'Form');
    await until(async () => (await countFrames(700)) === 0, 10_000);
    await watch(null);
    await until(() => frames.length > 0, 2000);
    const [again] = frames;
    assert.ok(again);
    // It is on its way, and then it has come.
    await watch('another-frame');
    assert.equal(await countFrames(700), 0);
    await watch(again.header.frame_id);
    await watch();
    assert.equal(await countFrames(700), 0);
  });

  it('keeps to its rate on a page that never rests, is faster while a person drives, and stops in the end', async () => {
    await go('/moving');
    await session.tell({ type: 'watch', for_ms: 1000 });
    frames = [];
    await arrived(({ header }) => header.title === 'Moving');
    const watched = await countFrames(1000);
    assert.ok(watched >= 5 && watched <= 12, `${watched} frames in a second`);
    const seqs = frames.map(({ header }) => header.seq);
    assert.deepEqual(
      seqs,
      [...new Set(seqs)].sort((a, b) => a - b),
      'numbered in order',
    );
    await session.tell({ type: 'watch', for_ms: 1500, is_driven: true });
    const driven = await countFrames(1000);
    console.log(`frames a second: ${watched} watched, ${driven} driven`);
    assert.ok(driven > watched && driven <= 34, `${driven} frames in a second`);

    // Watching is only ever extended, so this session's time ends with the longest that was asked for.
    await until(async () => (await countFrames(500)) === 0, 25_000);
  });

  it('sends two frames a second to an agent that records, and more as soon as a viewer watches', async () => {
    await go('/moving');
    await session.tell({ type: 'watch', for_ms: 4000, is_recording: true });
    frames = [];
    await arrived(({ header }) => header.title === 'Moving');
    const recorded = await countFrames(2000);
    assert.ok(recorded >= 1 && recorded <= 5, `${recorded} frames in two seconds`);
    await session.tell({ type: 'watch', for_ms: 1500 });
    const watched = await countFrames(1000);
    assert.ok(watched > 3 && watched <= 12, `${watched} frames in a second`);
    await until(async () => (await countFrames(500)) === 0, 25_000);
  });

  it('polls a page that moves without end, and casts it again when it is touched, or rests', async () => {
    await show(changing({ times: 200, everyMs: 100, last: 'words' }));
    await session.tell({ type: 'watch', for_ms: 60_000 });
    // Two polls may by chance meet the same picture; the page is then cast for some seconds before it is polled again.
    let polled = 0;
    const isPolled = async () => {
      polled = await countFrames(2000);
      return polled >= 2 && polled <= 8;
    };
    await until(isPolled, 14_000).catch(() => assert.fail(`${polled} frames in two seconds`));
    await session.act({ action: 'wait', for: { secs: 0.1 } });
    const touched = await countFrames(1000);
    assert.ok(touched >= 5, `${touched} frames in a second`);
    await until(() => frames.some(({ header }) => header.title === 'rested'), 25_000);
    await until(() => kindOf(frames.at(-1)) === 'words', 3000);
    // Nothing changes any more.
    await until(async () => (await countFrames(2500)) === 0, 10_000);
    // Cast again: a poll would not take up a change within this.
    const { acted } = await session.act({ action: 'press', key: 'a' });
    assert.ok(acted.ok);
    await until(() => kindOf(frames.at(-1)) === 'blank', 2000);
  });

  const show = (html: string) => session.act({ action: 'navigate', url: `data:text/html,${encodeURIComponent(html)}` });

  async function countFrames(ms: number): Promise<number> {
    frames = [];
    // A fixed wait: a rate is counted over a time.
    await sleep(ms);
    return frames.length;
  }
});

/** Turns a text on and off, ends as it is told, and says so in its title, then and later; a key turns it once more. */
function changing({ times, everyMs, last }: { times: number; everyMs: number; last: 'words' | 'blank' }): string {
  return `<title>moving</title><p id="text" style="font: 15px sans-serif"></p><script>
    text.textContent = Array.from({ length: 900 }, (_, index) => 'word ' + index).join(' ');
    const turn = (on) => { text.style.visibility = on ? 'visible' : 'hidden' };
    let left = ${times};
    const timer = setInterval(() => {
      left -= 1;
      turn(left > 0 ? left % 2 === 0 : ${last === 'words'});
      if (left > 0) return;
      clearInterval(timer);
      document.title = 'over';
      setTimeout(() => { document.title = 'rested' }, 500);
    }, ${everyMs});
    addEventListener('keydown', () => turn(text.style.visibility === 'hidden'));
  </script>`;
}

/** A picture full of words weighs several times one of nothing. */
function kindOf(one: Frame | undefined): 'words' | 'blank' | undefined {
  return one && (one.image.length > 30_000 ? 'words' : 'blank');
}
