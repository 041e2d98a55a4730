import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { BrowserContext, Page } from 'playwright-core';
import { until } from '../../../../../testkit/until.ts';
import { contextIdOf, openRawDoor, type RawDoor } from '../../../testing/doors.ts';
import { type SharedChromium, startSharedChromium } from '../../../testing/guests.ts';
import { soon } from '../../../testing/stage.ts';
import { within } from '../../common/deadline.ts';

/** Neither a text nor a number can be made of it. */
const hostile = { toString: 1, valueOf: 1 };

/** Opens one more session of the page each time. */
async function attachTo(door: RawDoor): Promise<() => Promise<string>> {
  const { targetInfos } = await door.must<{ targetInfos: { targetId: string }[] }>('Target.getTargets');
  const params = { targetId: targetInfos[0]?.targetId, flatten: true };
  return async () => (await door.must<{ sessionId: string }>('Target.attachToTarget', params)).sessionId;
}

describe('a guest that sends what no client would', () => {
  let chromium: SharedChromium;
  let context: BrowserContext;
  let own: Page;
  let contextId: string;
  before(async () => {
    chromium = await startSharedChromium(35_600);
    context = await chromium.browser.newContext({ viewport: { width: 900, height: 600 } });
    own = await context.newPage();
    contextId = await contextIdOf(context);
  });
  after(() => chromium?.end());

  it('may keep no filter that is none', async () => {
    const door = await openRawDoor(chromium, contextId);
    const wrong = [[null], [1], [[]], [{ type: 1 }], [{ exclude: 'x' }], 'x', {}, null, Array(101).fill({})];
    for (const filter of wrong) {
      const { error } = await door.ask('Target.setDiscoverTargets', { discover: true, filter });
      assert.match(error?.message ?? '', /filter/, JSON.stringify(filter));
    }
    const scratch = await context.newPage();
    await scratch.close();
    assert.ok((await door.ask('Browser.getVersion')).result);
    await door.must('Target.setDiscoverTargets', { discover: true, filter: [{ type: 'page', exclude: false }, {}] });
    await door.close();
  });

  it('ends alone where a message for it cannot be taken', async () => {
    let [closes, throws] = [0, 0];
    const broken = () => {
      throws += 1;
      throw new Error('broken');
    };
    const onClose = () => {
      closes += 1;
    };
    const byEvent = await chromium.openGuest({ onEvent: broken, onClose }, soon(5000));
    byEvent.send({ method: 'Target.setDiscoverTargets', params: { discover: true } }, () => {});
    await until(() => closes === 1, 5000);
    const byAnswer = await chromium.openGuest({ onEvent() {}, onClose }, soon(5000));
    byAnswer.send({ method: 'Browser.getVersion' }, broken);
    await until(() => closes === 2, 5000);
    assert.deepEqual([throws, byEvent.owns(byEvent.root), byAnswer.owns(byAnswer.root)], [2, false, false]);
    await byEvent.leave(soon(1000));
    assert.equal(await own.evaluate('1'), 1);
  });

  it('is not given the clipboard', async () => {
    const door = await openRawDoor(chromium, contextId);
    for (const [method, params] of [
      ['Browser.grantPermissions', { permissions: ['geolocation', 'clipboardReadWrite'] }],
      ['Browser.setPermission', { permission: { name: 'clipboard-read' }, setting: 'granted' }],
    ] as const)
      assert.match((await door.ask(method, params)).error?.message ?? '', /clipboard/);
    await door.must('Browser.grantPermissions', { permissions: ['geolocation'] });
    await door.close();
  });

  it('gets an answer to everything, and the host lives', async () => {
    const door = await openRawDoor(chromium, contextId, { onActs: () => {} });
    const sessionId = await (await attachTo(door))();
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
    const sent: [string, object][] = [
      ['Page.navigate', { url: hostile }],
      ['Target.createTarget', { url: [hostile] }],
      ['Input.dispatchMouseEvent', { type: 'mousePressed', x: 1, y: 1, button: hostile }],
      ['Input.dispatchMouseEvent', { type: 'mouseReleased', x: hostile, y: null, button: [hostile] }],
      ['Input.dispatchTouchEvent', { type: 'mousePressed', touchPoints: [], button: hostile }],
      ['Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [null] }],
      ['Input.dispatchKeyEvent', { type: 'keyDown', key: hostile, code: [null], windowsVirtualKeyCode: hostile }],
      ['Network.emulateNetworkConditions', { offline: false, latency: 0, downloadThroughput: hostile }],
      ['Runtime.evaluate', { expression: '1', contextId: hostile, uniqueContextId: [hostile] }],
      ['Runtime.callFunctionOn', { functionDeclaration: hostile, arguments: [null, hostile] }],
      ['Runtime.addBinding', { name: hostile, executionContextName: hostile }],
      ['Input.dispatchDragEvent', { type: 'drop', x: 1, y: 1, data: null }],
      ['Browser.grantPermissions', { permissions: [null, hostile] }],
      ['Browser.setPermission', { permission: null, setting: hostile }],
      ['Page.handleJavaScriptDialog', { accept: hostile, promptText: hostile }],
    ];
    const unanswered = new Set(sent.map(([method, params]) => `${method} ${JSON.stringify(params)}`));
    for (const driven of [false, true]) {
      if (driven) await door.fence({ epoch: 2, by: 'person' }, soon(2000));
      for (const [method, params] of sent)
        for (const session of [sessionId, undefined])
          void door.ask(method, params, session).then(() => unanswered.delete(`${method} ${JSON.stringify(params)}`));
      await until(() => unanswered.size === 0, 5000).catch(() => assert.deepEqual([...unanswered], []));
    }
    door.take(`{"id":900000,"method":"Runtime.evaluate","params":{"expression":${deep}},"sessionId":"${sessionId}"}`);
    await door.release(3, soon(2000));
    door.take(`{"id":900001,"method":"Runtime.evaluate","params":{"expression":${deep}},"sessionId":"${sessionId}"}`);
    assert.ok((await door.ask('Browser.getVersion')).result);
    assert.equal(await own.evaluate('1'), 1);
    await door.close();
  });

  it('is answered what it asked for in a session that is gone, and keeps nobody from taking over', async () => {
    const door = await openRawDoor(chromium, contextId);
    const attach = await attachTo(door);
    const [first, second] = [await attach(), await attach()];
    const never = door.ask('Runtime.evaluate', { expression: 'new Promise(() => {})', awaitPromise: true }, first);
    // A request that nobody lets go on keeps its page waiting, and its program too.
    await door.must('Fetch.enable', { patterns: [{ urlPattern: '*' }] }, second);
    const loading = door.ask('Page.navigate', { url: 'http://shop.test/' }, first);
    await door.event('Fetch.requestPaused');
    await door.must('Target.detachFromTarget', { sessionId: first });
    for (const asked of [never, loading]) assert.equal((await within(soon(3000), asked)).error?.code, -32001);
    await door.fence({ epoch: 2, by: 'person' }, soon(1000));
    await door.release(3, soon(2000));
    await door.close();
  });
});
