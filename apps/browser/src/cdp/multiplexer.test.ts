import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { until } from '../../../../testkit/until.ts';
import { createRawClient, type SharedChromium, startSharedChromium } from '../../testing/guests.ts';
import { soon } from '../../testing/stage.ts';
import { idOf, methodOf, readdress, sessionOf, withoutSession } from './raw-message.ts';

const session = 'A'.repeat(32);

describe('a message told by its bytes', () => {
  const buffer = (message: object) => Buffer.from(JSON.stringify(message));

  it('has an id or a method, and a session', () => {
    const answer = buffer({ id: 7, result: { text: 'Zoë' }, sessionId: session });
    assert.deepEqual([idOf(answer), methodOf(answer), sessionOf(answer)], [7, undefined, session]);
    const event = buffer({ method: 'Page.loadEventFired', params: {}, sessionId: session });
    assert.deepEqual([idOf(event), methodOf(event), sessionOf(event)], [undefined, 'Page.loadEventFired', session]);
    assert.equal(sessionOf(buffer({ id: 7, result: {} })), undefined);
  });

  it('is not fooled by what a page has written', () => {
    const said = `,"sessionId":"${session}"}`;
    for (const message of [
      { method: 'a', params: { said } },
      { method: 'a', params: { sessionId: session } },
      { id: 1, result: { value: said } },
      { id: 1, error: { code: 1, message: said } },
    ])
      assert.equal(sessionOf(buffer(message)), undefined, JSON.stringify(message));
    assert.equal(idOf(buffer({ method: '{"id":1', params: {} })), undefined);
  });

  it('is passed on with another id and without its session', () => {
    const answer = buffer({ id: 2 ** 30, result: { text: 'Zoë, {"id":3}' }, sessionId: session });
    const result = { text: 'Zoë, {"id":3}' };
    assert.deepEqual(JSON.parse(readdress(answer, 5, { keepsSession: false })), { id: 5, result });
    assert.deepEqual(JSON.parse(readdress(answer, 5, { keepsSession: true })), { id: 5, result, sessionId: session });
    assert.deepEqual(JSON.parse(withoutSession(buffer({ method: 'a', params: {}, sessionId: session }))), {
      method: 'a',
      params: {},
    });
  });
});

describe('a pipe with guests', () => {
  let chromium: SharedChromium;
  before(async () => {
    chromium = await startSharedChromium(34_200);
  });
  after(() => chromium?.end());

  async function open() {
    const client = createRawClient((text) => {
      const { id, ...command } = JSON.parse(text);
      guest.send(command, (answer) => client.hear(readdress(answer, id, { keepsSession: true })));
    });
    let closes = 0;
    const guest = await chromium.openGuest(
      {
        onEvent: (event) => client.hear(event.toString()),
        onClose: () => {
          closes += 1;
        },
      },
      soon(5000),
    );
    return { guest, closes: () => closes, ...client };
  }

  it('gives each the answers to its own commands, under its own numbers', async () => {
    const page = await chromium.browser.newPage();
    const [one, two] = [await open(), await open()];
    assert.notEqual(one.guest.root, two.guest.root);
    const [first, second, own] = await Promise.all([
      one.must('Browser.getVersion'),
      two.must<{ targetInfos: object[] }>('Target.getTargets'),
      page.evaluate('6 * 7'),
    ]);
    assert.match(String(first.product), /Chrome/);
    assert.ok(second.targetInfos.length >= 1);
    assert.equal(own, 42);
    await Promise.all([one.guest.leave(soon(2000)), two.guest.leave(soon(2000))]);
    await page.context().close();
  });

  it('gives events to the guest that asked for them, and a session to the guest that opened it', async () => {
    const page = await chromium.browser.newPage();
    const [one, two] = [await open(), await open()];
    await one.must('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: false, flatten: true });
    const { params } = await one.event('Target.attachedToTarget');
    const sessionId = String(params.sessionId);
    assert.deepEqual([one.guest.owns(sessionId), two.guest.owns(sessionId)], [true, false]);
    await one.must('Runtime.enable', undefined, sessionId);
    await page.evaluate('console.log("hello")');
    await one.event('Runtime.consoleAPICalled');
    assert.deepEqual(two.events, []);
    await assert.rejects(two.must('Runtime.enable', undefined, sessionId), /not of this guest/);
    await Promise.all([one.guest.leave(soon(2000)), two.guest.leave(soon(2000))]);
    await page.context().close();
  });

  it('ends all sessions of a guest that leaves, with what they hold up', async () => {
    const one = await open();
    await one.must('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: true, flatten: true });
    const opening = chromium.browser.newPage();
    const waits = await one.event('Target.attachedToTarget', (params) => params.waitingForDebugger === true);
    const sessionId = String(waits.params.sessionId);
    assert.ok(one.guest.owns(sessionId));
    await one.guest.leave(soon(2000));
    assert.ok(!one.guest.owns(sessionId) && !one.guest.owns(one.guest.root));
    const page = await opening;
    assert.equal(await page.evaluate('1'), 1);
    const heard = one.events.length;
    await page.goto('data:text/html,next');
    assert.equal(one.events.length, heard);
    await assert.rejects(one.must('Browser.getVersion'), /not of this guest/);
    // The same once more does nothing.
    await one.guest.leave(soon(2000));
    const cdp = await chromium.browser.newBrowserCDPSession();
    await assert.rejects(cdp.send('Target.detachFromTarget', { sessionId }), /No session/);
    await page.context().close();
  });

  it('forgets the sessions of a page that is closed', async () => {
    const one = await open();
    await one.must('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: false, flatten: true });
    const page = await chromium.browser.newPage();
    const { params } = await one.event('Target.attachedToTarget');
    await page.context().close();
    await one.event('Target.detachedFromTarget');
    assert.ok(!one.guest.owns(String(params.sessionId)));
    await one.guest.leave(soon(2000));
  });

  it('tells guests that Chromium is gone', async () => {
    const one = await open();
    chromium.kill();
    await until(() => one.closes() === 1, 5000);
    assert.ok(!one.guest.owns(one.guest.root));
    await one.guest.leave(soon(2000));
    await assert.rejects(open(), /closed|gone/);
  });
});
