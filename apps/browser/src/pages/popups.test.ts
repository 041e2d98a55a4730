import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { type Bus, connectBus, type Input, type NumberedInput, queues, report } from '@pilothouse/bus';
import { type NatsForTest, startNats } from '@pilothouse/bus/testing';
import type { Step } from '@pilothouse/contract';
import { until } from '../../../../testkit/until.ts';
import { drive, type HostForTest, startHost } from '../../testing/host.ts';
import { type Origins, startOrigins } from '../../testing/origins.ts';

const listen = `<script>addEventListener('input', ({ target }) => tell(target.id + '=' + target.value), true)</script>`;
const phish = `<title>Phish</title>${listen}<input id="word" aria-label="Your password"><script>let n = 0; setInterval(() => tell('still here ' + (n += 1)), 100)</script>`;
const other = `<title>Other</title>${listen}<input id="word" aria-label="Your password"><button onclick="window.close()">Done</button>`;
const page = (
  frame: string,
  attributes = '',
) => `<title>Honest</title>${listen}<input id="word" aria-label="Your password">
  <button id="now" onclick="window.open('{here}/other')">Open now</button>
  <button id="later" onclick="fetch('/other').then(() => setTimeout(() => window.open('{here}/other'), 1500))">Open later</button>
  <button onclick="w = window.open('about:blank'); setTimeout(() => { w.location = '{far}/other' }, 700)">Open and send</button>
  <a href="{far}/other" target="_blank" rel="noopener">Link away</a>
  <button onclick="location = '{far}/other'">Go away</button>
  <button onclick="setTimeout(() => { location = '{far}/other' }, 2500)">Go away later</button>
  <iframe src="${frame}" ${attributes} width="200" height="60"></iframe>`;

describe('a page that a page opens', () => {
  let nats: NatsForTest;
  let origins: Origins;
  let agent: Bus;
  let host: HostForTest;
  let session: ReturnType<typeof drive>;
  let heard: string[] = [];
  let epoch = 1;
  let seq = 0;
  before(async () => {
    [nats, origins] = await Promise.all([startNats({ hosts: ['h1'] }), startOrigins()]);
    agent = await connectBus(nats.as('agent'));
    const hear = async ({ type: what }: { type: string }) => {
      heard.push(what);
      return {};
    };
    await agent.respond(report, {}, hear, { queue: queues.report }).ready({ timeoutMs: 5000 });
    host = await startHost(nats, 'h1', { capacity: 1 });
  });
  after(async () => {
    await host?.close();
    await agent?.close();
    await nats?.close();
    await origins?.close();
  });
  beforeEach(async () => {
    if (session) await session.closeSession(epoch + 2);
    session = drive(agent, 'h1');
    [epoch, seq, heard] = [1, 0, []];
    origins.told.length = 0;
    await session.open();
  });

  const act = (step: Step) => session.act(step, { epoch });
  const failureOf = (step: Step) => session.failureOf(step, { epoch });
  const observed = async () => {
    const { head } = await session.tell({ type: 'observe' });
    if (!head.ok || head.type !== 'observed') throw new Error(JSON.stringify(head));
    return head.observation;
  };
  const front = async () => (await observed()).pages.find(({ is_front }) => is_front)?.title;
  /** A page that is just being replaced cannot be observed. */
  const comesToFront = (title: string) => until(async () => (await front().catch(() => undefined)) === title, 8000);
  const open = (pages: Record<string, string>) => {
    origins.serve({ '/phish': phish, '/other': other, ...pages });
    return act({ action: 'navigate', url: `${origins.here}/` });
  };
  const type: Step = { action: 'type', target: 'Your password', text: 'hunter2' };
  const at = (origin: string) => origins.told.some((one) => one.origin === origin && one.text === 'word=hunter2');
  const toldByFar = () => origins.told.filter(({ origin }) => origin === 'far').length;
  async function give(...inputs: Input[]) {
    const numbered: NumberedInput[] = inputs.map((input) => {
      seq += 1;
      return { seq, input };
    });
    const { head } = await session.tell({ type: 'input', epoch: epoch + 1, inputs: numbered });
    return head.ok ? undefined : head.failure;
  }

  for (const attributes of ['', 'sandbox="allow-scripts allow-popups"'])
    it(`by a timer stays behind, and gets nothing (${attributes || 'any frame'})`, async () => {
      const frame = `<script>setTimeout(() => window.open('{far}/phish'), 300)</script>`;
      await open({ '/': page('{far}/frame', attributes), '/frame': frame });
      await until(async () => (await observed()).pages.some(({ title }) => title === 'Phish'), 5000);
      assert.equal(await front(), 'Honest');
      await act(type);
      await until(() => at('here'), 3000);
      // What it would have got, it would have told before this.
      const before = toldByFar();
      await until(() => toldByFar() >= before + 2, 5000);
      assert.ok(!at('far'));
      await until(() => heard.includes('left_behind'), 3000);
    });

  it('of its own origin by a timer stays behind too', async () => {
    await open({ '/': `${page('about:blank')}<script>setTimeout(() => window.open('/other'), 200)</script>` });
    await until(async () => (await observed()).pages.length === 2, 5000);
    assert.equal(await front(), 'Honest');
  });

  for (const button of ['Open now', 'Open later', 'Open and send', 'Link away'])
    it(`by a step comes to the front: ${button}`, async () => {
      await open({ '/': page('about:blank') });
      await act({ action: 'click', target: button });
      await comesToFront('Other');
      await act(type);
      // One that has no opener does not close itself.
      await act(button === 'Link away' ? { action: 'close_page' } : { action: 'click', target: 'Done' });
      await until(async () => (await front()) === 'Honest', 3000);
      await act(type);
      await until(() => at('here'), 3000);
      assert.ok(!heard.includes('left_behind'));
    });

  /** A frame of another site has to be named. */
  const inFrame = (name: string) => ({ name, frame: new URL(origins.far).host });

  it('by a step in a frame comes to the front', async () => {
    const frame = `<button onclick="window.open('/other')">In the frame</button>`;
    await open({ '/': page('{far}/frame'), '/frame': frame });
    await act({ action: 'click', target: inFrame('In the frame') });
    await until(async () => (await front()) === 'Other', 3000);
  });

  it('by a person’s press comes to the front, and what a frame opens meanwhile does not', async () => {
    const frame = `<script>let n = 0; setInterval(() => { window.open('{far}/phish', 'one'); tell('opened ' + (n += 1)) }, 700)</script>`;
    await open({ '/': page('{far}/frame'), '/frame': frame });
    await until(async () => (await observed()).pages.some(({ title }) => title === 'Phish'), 5000);
    const { head } = await session.tell({ type: 'observe' });
    assert.ok(head.ok && head.type === 'observed');
    const button = head.observation.outline.find(({ name }) => name === 'Open now');
    assert.ok(button);
    const { x, y } = button.box;
    await give({ action: 'click', x: x + 5, y: y + 5, button: 'left', modifiers: [] });
    await until(async () => (await front()) === 'Other', 3000);
    const opened = () => origins.told.filter(({ text }) => text.startsWith('opened')).length;
    const before = opened();
    // When it opens the second, the first has come.
    await until(() => opened() >= before + 2, 5000);
    assert.equal(await front(), 'Other');
  });

  it('stays behind also when the page in front closes', async () => {
    const frame = `<script>setTimeout(() => window.open('{far}/phish'), 300)</script>`;
    await open({ '/': page('{far}/frame'), '/frame': frame });
    await until(async () => (await observed()).pages.some(({ title }) => title === 'Phish'), 5000);
    await act({ action: 'click', target: 'Open now' });
    await act({ action: 'click', target: 'Done' });
    await until(async () => (await front()) === 'Honest', 3000);
    await act({ action: 'close_page' });
    // For a moment there is none.
    await until(async () => (await front().catch(() => undefined)) === '', 3000);
    assert.equal(await failureOf(type), 'not_found');
  });

  describe('and a page that leaves', () => {
    it('by a frame that may take it away gets no more steps, until one goes there', async () => {
      const frame = `<script>setTimeout(() => { top.location = '{far}/phish' }, 500)</script>`;
      await open({ '/': page('{far}/frame', 'sandbox="allow-scripts allow-top-navigation"'), '/frame': frame });
      await until(async () => (await front()) === 'Phish', 5000);
      assert.equal(await failureOf(type), 'site_changed');
      assert.equal(await failureOf({ action: 'click', target: 'Your password' }), 'site_changed');
      await act({ action: 'reload' });
      assert.equal(await failureOf(type), 'site_changed', 'loading it again names no place');
      assert.equal(await give({ action: 'type', text: 'by hand' }), 'site_changed');
      assert.ok(!at('far'));
      epoch += 2;
      await act({ action: 'navigate', url: `${origins.far}/phish` });
      await act(type);
      await until(() => at('far'), 3000);
    });

    it('by a frame of another port of its host gets none either', async () => {
      const frame = `<script>setTimeout(() => { top.location = '{near}/phish' }, 500)</script>`;
      await open({ '/': page('{near}/frame', 'sandbox="allow-scripts allow-top-navigation"'), '/frame': frame });
      await until(async () => (await front()) === 'Phish', 5000);
      assert.equal(await failureOf(type), 'site_changed');
    });

    it('by a frame that goes back in the history of both gets none, and no keys', async () => {
      origins.serve({ '/phish': phish });
      await act({ action: 'navigate', url: `${origins.far}/phish` });
      const frame = `<script>addEventListener('message', () => history.back())</script>`;
      const tell = `<script>addEventListener('click', () => frames[0].postMessage('now', '*'))</script>`;
      await open({ '/': page('{far}/frame') + tell, '/frame': frame });
      await act({ action: 'click', target: 'Your password' });
      await until(async () => (await front()) === 'Phish', 5000);
      assert.equal(await failureOf(type), 'site_changed');
      assert.equal(await give({ action: 'type', text: 'by hand' }), 'site_changed');
      assert.ok(!origins.told.some(({ origin, text }) => origin === 'far' && text.startsWith('word=')));
    });

    it('by itself, back in its history, is followed where no frame could have done it', async () => {
      origins.serve({ '/other': other });
      await act({ action: 'navigate', url: `${origins.far}/other` });
      await open({ '/': '<title>Plain</title><button onclick="history.back()">Cancel</button>' });
      await act({ action: 'click', target: 'Cancel' });
      await comesToFront('Other');
      await act(type);
      await until(() => at('far'), 3000);
    });

    it('by a frame that was pressed on long ago gets none', async () => {
      const frame = `<button onclick="setTimeout(() => { top.location = '{far}/phish' }, 6000)">Accept</button>`;
      await open({ '/': page('{far}/frame'), '/frame': frame });
      await act({ action: 'click', target: inFrame('Accept') });
      await act({ action: 'wait', for: { secs: 6 } });
      await until(async () => (await front()) === 'Phish', 5000);
      assert.equal(await failureOf(type), 'site_changed');
    });

    it('because of a step is where that step leads to', async () => {
      const frame = `<a href="{far}/other" target="_top">Pay there</a>`;
      for (const target of ['Go away', 'Go away later', 'Pay there']) {
        await open({ '/': page('{far}/frame'), '/frame': frame });
        await act({ action: 'click', target: target === 'Pay there' ? inFrame(target) : target });
        await comesToFront('Other');
        origins.told.length = 0;
        await act(type);
        await until(() => at('far'), 3000);
        await act({ action: 'back' });
        await act(type);
        await until(() => at('here'), 3000);
      }
    });

    it('by itself, in several steps, is followed', async () => {
      const on = (to: string) => `<meta http-equiv="refresh" content="0;url=${to}">`;
      await open({
        '/': on('{far}/two'),
        '/two': `<script>location = '{near}/three'</script>`,
        '/three': on('{far}/other'),
      });
      await until(async () => (await front()) === 'Other', 5000);
      await act(type);
      await until(() => at('far'), 3000);
    });
  });
});
