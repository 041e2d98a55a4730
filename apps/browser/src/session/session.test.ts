import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Bus, connectBus, queues, type Report, report } from '@pilothouse/bus';
import { type NatsForTest, startNats } from '@pilothouse/bus/testing';
import { until } from '../../../../testkit/until.ts';
import { drive, type HostForTest, startHost } from '../../testing/host.ts';
import { type Site, startSite } from '../../testing/site.ts';
import { soon } from '../../testing/stage.ts';
import { within } from '../common/deadline.ts';
import { newId } from '../common/id.ts';

describe('a session', () => {
  let nats: NatsForTest;
  let site: Site;
  let agent: Bus;
  let one: HostForTest;
  before(async () => {
    [nats, site] = await Promise.all([startNats({ hosts: ['h1', 'h2'] }), startSite()]);
    agent = await connectBus(nats.as('agent'));
    one = await startHost(nats, 'h1');
  });
  after(async () => {
    await one?.close();
    await agent?.close();
    await site?.close();
    await nats?.close();
  });
  const form = () => ({ action: 'navigate', url: `${site.url}/form` }) as const;

  it('signs in on one host and is still signed in on the next', async () => {
    const first = drive(agent, 'h1');
    const begun = performance.now();
    assert.deepEqual(await first.open(), { ok: true });
    const look = await first.tell({ type: 'look' });
    assert.ok(look.head.ok && look.head.type === 'seen');
    console.log(`open to first picture: ${Math.round(performance.now() - begun)} ms`);

    const { acted: there } = await first.act(form());
    assert.deepEqual(there.before, { url: 'about:blank', title: '' });
    assert.deepEqual(there.after, { url: `${site.url}/form`, title: 'Form' });
    assert.equal(there.bbox, null);
    await first.act({ action: 'type', target: 'Name', text: 'anna' });
    const { acted, image } = await first.act({ action: 'click', target: 'Sign in' });
    assert.deepEqual(acted.after, { url: `${site.url}/welcome?name=anna`, title: 'Welcome' });
    assert.deepEqual([...image.subarray(0, 3)], [0xff, 0xd8, 0xff], 'a JPEG');
    assert.deepEqual([acted.picture?.width, acted.picture?.height], [1280, 720]);
    assert.equal(acted.picture?.route.session, first.sessionId);
    await first.closeSession();

    const two = await startHost(nats, 'h2');
    try {
      const second = drive(agent, 'h2', first.sessionId);
      const reopened = performance.now();
      await second.open({ epoch: 2, state: acted.state });
      console.log(`open with a restored page: ${Math.round(performance.now() - reopened)} ms`);
      const { acted: restored } = await second.act({ action: 'screenshot' }, { epoch: 2 });
      assert.equal(restored.before.url, acted.after.url);
      const who = await second.act({ action: 'navigate', url: `${site.url}/who` }, { epoch: 2 });
      assert.equal(who.acted.after.title, 'login=anna yes');
    } finally {
      await two.close();
    }
  });

  it('reports what the guard refuses while saved pages are opened again', async () => {
    const reports: Report[] = [];
    const hears = agent.respond(
      report,
      {},
      (message) => {
        reports.push(message);
        return {};
      },
      { queue: queues.report },
    );
    await hears.ready({ timeoutMs: 2000 });
    const session = drive(agent, 'h1');
    const page = { url: `${site.url}/form`, scroll_x: 0, scroll_y: 0, session_storage: {} };
    const state = { storage: { cookies: [], origins: [] }, pages: [page] };
    try {
      assert.deepEqual(await session.open({ state, reach: { allow: ['example.test'], deny: [] } }), { ok: true });
      const { host } = new URL(site.url);
      await until(() => reports.some((one) => one.type === 'refused' && one.target === host), 5000);
      assert.ok(reports.every(({ session_id }) => session_id === session.sessionId));
    } finally {
      await session.closeSession();
      await hears.close();
    }
  });

  describe('on a form', () => {
    const session = () => driver;
    let driver: ReturnType<typeof drive>;
    before(async () => {
      driver = drive(agent, 'h1');
      await driver.open();
      await driver.act(form());
    });
    after(() => driver.closeSession(99));

    it('reports where the element was just before the click', async () => {
      const { acted } = await session().act({ action: 'click', target: 'Far' });
      const real = acted.after.title.split(',').map(Number);
      assert.ok(acted.bbox && acted.point);
      const { x, y, width, height } = acted.bbox;
      const reported = [x, y, width, height, acted.point.x, acted.point.y];
      const [left = 0, top = 0, wide = 0, high = 0] = real;
      for (const [index, value] of [...real, left + wide / 2, top + high / 2].entries()) {
        assert.ok(Math.abs((reported[index] ?? Number.NaN) - value) <= 1, `${reported} is ${real}`);
      }
      assert.ok(y >= 0 && y + height <= 720, 'in the viewport');
      assert.ok((acted.state?.pages.at(-1)?.scroll_y ?? 0) > 0, 'which was scrolled');
      await session().act(form());
    });

    it('performs a command once that comes twice, also at the same time', async () => {
      const commandId = newId();
      const click = () => session().act({ action: 'click', target: 'Count' }, { commandId });
      const [first, second] = await Promise.all([click(), click()]);
      const third = await click();
      assert.equal(first.acted.after.title, 'Clicked 1');
      assert.deepEqual(second.acted, first.acted);
      assert.deepEqual(third.acted, first.acted);
      const { acted } = await session().act({ action: 'screenshot' });
      assert.equal(acted.after.title, 'Clicked 1');
    });

    it('names the reason of each failure', async () => {
      const cases = [
        ['not_found', { action: 'click', target: 'Nowhere' }],
        ['ambiguous', { action: 'click', target: 'Twice' }],
        ['covered', { action: 'click', target: 'Under' }],
        ['wrong_value', { action: 'type', target: 'Shout', text: 'quiet' }],
        ['not_found', { action: 'click', target: { ref: 'e99' } }],
        ['unsupported', { action: 'press', key: 'NoSuchKey' }],
        ['navigation_failed', { action: 'navigate', url: 'http://127.0.0.1:1/' }],
        ['not_found', { action: 'select', target: 'Colour', option: 'Green' }],
        ['timeout', { action: 'wait', for: { text: 'Never said' }, timeout_secs: 1 }],
      ] as const;
      for (const [failure, step] of cases) {
        if (step.action === 'select') await session().act(form());
        const answered = within(soon(6000), session().failureOf(step, { deadlineMs: 2500 }));
        assert.equal(await answered, failure, JSON.stringify(step));
      }
    });

    it('presses keys, chooses, checks, waits and goes back', async () => {
      await session().act(form());
      await session().act({ action: 'select', target: 'Colour', option: 'Blue' });
      await session().act({ action: 'check', target: 'Agree', checked: true });
      await session().act({ action: 'click', target: { role: 'button', name: 'later' } });
      await session().act({ action: 'wait', for: { text: 'It is late' } });
      await session().act({ action: 'type', target: { label: 'Name' }, text: 'bert' });
      const { acted } = await session().act({ action: 'press', key: 'Enter', target: { css: '[name=name]' } });
      assert.equal(acted.after.title, 'Welcome');
      await session().act({ action: 'wait', for: { url: '/welcome' } });
      const back = await session().act({ action: 'back' });
      assert.equal(back.acted.after.title, 'Form');
      const forward = await session().act({ action: 'forward' });
      assert.equal(forward.acted.after.title, 'Welcome');
    });

    it('continues in a page that the page opens', async () => {
      await session().act(form());
      const { acted } = await session().act({ action: 'click', target: 'Open popup' });
      assert.equal(acted.after.title, 'Popup');
      assert.deepEqual(
        acted.state?.pages.map(({ url }) => new URL(url).pathname),
        ['/form', '/popup'],
      );
    });

    it('stops the page that was acted on, also when it has brought another to the front', async () => {
      const html = "<button onclick=\"open('about:blank', '_blank', 'noopener'); for (;;);\">Open and hang</button>";
      await session().act({ action: 'navigate', url: `data:text/html,${html}` }, { epoch: 2 });
      const { status } = session();
      const pages = async () => {
        const reply = await status();
        return (reply.ok && reply.status?.sessions.find((one) => one.session_id === session().sessionId)?.pages) || 0;
      };
      const before = await pages();
      const hanging = session().failureOf({ action: 'click', target: 'Open and hang' }, { epoch: 2 });
      await until(async () => (await pages()) === before + 1, 5000);
      // On a slow machine it says that it is to be asked again.
      await until(async () => (await session().open({ epoch: 3 })).ok, 10_000);
      assert.equal(await hanging, 'stale_epoch');
      const addressInFront = async () => (await session().act({ action: 'screenshot' }, { epoch: 3 })).acted.after.url;
      await until(async () => (await addressInFront()) === 'about:blank', 5000);
      await session().act({ action: 'close_page' }, { epoch: 3 });
      const { acted } = await session().act({ action: 'extract', kind: 'text', as: 'all' }, { epoch: 3 });
      assert.match(String(acted.data), /Open and hang/, 'and it answers again');
    });

    it('reaches only what the last open command allows', async () => {
      const reached = async (allow: string[] | null, epoch: number) => {
        const opened = await session().open({ epoch, reach: { allow, deny: [] } });
        assert.deepEqual(opened, { ok: true });
        return session().failureOf(form(), { epoch });
      };
      assert.equal(await reached(['example.test'], 4), 'blocked_by_guard');
      assert.equal(await reached(['example.1'], 4), 'blocked_by_guard', 'and nothing by a name that cannot exist');
      assert.equal(await reached(null, 4), undefined);
    });

    it('refuses the former driver, and cuts the command it had under way', async () => {
      const slow = session().failureOf({ action: 'wait', for: { text: 'Never said' } }, { epoch: 5 });
      assert.deepEqual(await session().open({ epoch: 6 }), { ok: true });
      assert.equal(await slow, 'stale_epoch');
      assert.equal(await session().failureOf({ action: 'screenshot' }, { epoch: 5 }), 'stale_epoch');
      assert.equal(await session().failureOf({ action: 'screenshot' }, { epoch: 6 }), undefined);
      const late = await session().open({ epoch: 5 });
      assert.ok(!late.ok && late.failure === 'stale_epoch');
    });
  });
});
