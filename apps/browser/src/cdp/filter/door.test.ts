import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { BrowserContext, Page } from 'playwright-core';
import { listen } from '../../../../../testkit/listen.ts';
import { until } from '../../../../../testkit/until.ts';
import { contextIdOf, openRawDoor, type RawDoor } from '../../../testing/doors.ts';
import { type SharedChromium, startSharedChromium } from '../../../testing/guests.ts';
import { soon } from '../../../testing/stage.ts';
import { within } from '../../common/deadline.ts';
import { closePage } from '../../pages/close-page.ts';
import { methodsWith } from './commands.ts';
import { contextAlias } from './targets.ts';

type Info = { targetId: string; type: string; url: string; browserContextId?: string };

describe('the door of a guest', () => {
  let chromium: SharedChromium;
  let context: BrowserContext;
  let own: Page;
  let other: Page;
  let ids: { context: string; other: string; otherTarget: string; ownTarget: string };
  let door: RawDoor;
  /** Of the session's page. */
  let page: string;
  before(async () => {
    chromium = await startSharedChromium(34_400, { guard: { allowLoopbackPorts: new Set() } });
    context = await chromium.browser.newContext({ viewport: { width: 900, height: 600 } });
    own = await context.newPage();
    other = await (await chromium.browser.newContext()).newPage();
    await other.goto('data:text/html,<title>Other</title>');
    const targetOf = async (one: Page) =>
      (await (await one.context().newCDPSession(one)).send('Target.getTargetInfo')).targetInfo.targetId;
    ids = {
      context: await contextIdOf(context),
      other: await contextIdOf(other.context()),
      otherTarget: await targetOf(other),
      ownTarget: await targetOf(own),
    };
    door = await openRawDoor(chromium, ids.context);
    const { sessionId } = await door.must<{ sessionId: string }>('Target.attachToTarget', {
      targetId: ids.ownTarget,
      flatten: true,
    });
    page = sessionId;
    await own.goto('data:text/html,<title>Own</title><input type=file><iframe srcdoc=frame></iframe>');
  });
  after(async () => {
    await door?.close();
    await chromium?.end();
  });
  const refused = async (method: string, params?: object, sessionId?: string) =>
    assert.ok((await door.ask(method, params, sessionId)).error, `${method} ${JSON.stringify(params)}`);

  it('shows the targets of the session under another context, and no others', async () => {
    const { targetInfos } = await door.must<{ targetInfos: Info[] }>('Target.getTargets', { filter: [{}] });
    assert.ok(targetInfos.some(({ targetId }) => targetId === ids.ownTarget));
    assert.deepEqual([...new Set(targetInfos.map((info) => info.browserContextId))], [contextAlias]);
    const { targetInfo } = await door.must<{ targetInfo: Info }>('Target.getTargetInfo', { targetId: ids.ownTarget });
    assert.equal(targetInfo.browserContextId, contextAlias);
    assert.deepEqual(await door.must('Target.getBrowserContexts'), {
      browserContextIds: [],
      defaultBrowserContextId: contextAlias,
    });
    const heard = JSON.stringify(door.events);
    for (const hidden of [ids.context, ids.other, ids.otherTarget]) assert.ok(!heard.includes(hidden));
  });

  it('tells of targets only once it is asked to, and of those of the session', async () => {
    const guest = await openRawDoor(chromium, ids.context);
    await guest.must('Target.setDiscoverTargets', { discover: true });
    const created = () => guest.events.filter(({ method }) => method === 'Target.targetCreated');
    assert.deepEqual(
      created().map(({ params }) => (params.targetInfo as Info).targetId),
      [ids.ownTarget],
    );
    const [mine, foreign] = await Promise.all([context.newPage(), other.context().newPage()]);
    await until(() => created().length === 2, 5000);
    await Promise.all([mine.close(), foreign.close()]);
    await guest.event('Target.targetDestroyed');
    assert.equal(created().length, 2);
    assert.ok(!JSON.stringify(guest.events).includes(ids.other));
    await guest.close();
  });

  it('attaches by itself to pages of the session only, and lets the others go on', async () => {
    const guest = await openRawDoor(chromium, ids.context);
    await guest.must('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: true, flatten: true });
    // It would hang until every client has let it go on.
    const foreign = await other.context().newPage();
    assert.equal(await foreign.evaluate('1'), 1);
    await foreign.close();
    const attached = guest.events.filter(({ method }) => method === 'Target.attachedToTarget');
    assert.deepEqual(
      attached.map(({ params }) => (params.targetInfo as Info).targetId),
      [ids.ownTarget],
    );
    await guest.close();
  });

  it('lets a page go on that its guest forgets', async () => {
    const guest = await openRawDoor(chromium, ids.context, { resumeMs: 50 });
    await guest.must('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: true, flatten: true });
    const opened = await context.newPage();
    assert.equal(await opened.evaluate('1'), 1);
    await opened.close();
    await guest.close();
  });

  it('knows nothing of targets, contexts and sessions of others', async () => {
    for (const method of [
      'Target.attachToTarget',
      'Target.closeTarget',
      'Target.activateTarget',
      'Target.getTargetInfo',
    ])
      await refused(method, { targetId: ids.otherTarget, flatten: true });
    await refused('Target.autoAttachRelated', { targetId: ids.otherTarget, waitForDebuggerOnStart: false });
    await refused('Browser.getWindowForTarget', { targetId: ids.otherTarget });
    for (const browserContextId of [ids.other, ids.context, '', null, 7])
      for (const method of [
        'Storage.getCookies',
        'Storage.clearCookies',
        'Target.createTarget',
        'Browser.resetPermissions',
      ])
        await refused(method, { browserContextId, url: 'about:blank' });
    const { error } = await door.ask('Runtime.evaluate', { expression: '1' }, 'F'.repeat(32));
    assert.equal(error?.code, -32001);
    await refused('Target.detachFromTarget', { sessionId: 'F'.repeat(32) });
    await refused('Target.detachFromTarget', { targetId: ids.otherTarget });
    assert.equal(await other.title(), 'Other');
  });

  it('has no other way of sessions than the one that is read', async () => {
    await refused('Target.attachToTarget', { targetId: ids.ownTarget });
    await refused('Target.attachToTarget', { targetId: ids.ownTarget, flatten: false });
    await refused('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: false });
    await refused('Target.sendMessageToTarget', { sessionId: page, message: '{"id":1,"method":"Page.crash"}' });
    await refused('Target.exposeDevToolsProtocol', { targetId: ids.ownTarget });
  });

  it('is filtered in a browser session that the guest opens, too', async () => {
    const { sessionId } = await door.must<{ sessionId: string }>('Target.attachToBrowserTarget');
    await refused('Target.attachToTarget', { targetId: ids.otherTarget, flatten: true }, sessionId);
    await refused('Target.createBrowserContext', {}, sessionId);
    await refused('Fetch.enable', {}, sessionId);
    const { targetInfos } = await door.must<{ targetInfos: Info[] }>('Target.getTargets', {}, sessionId);
    assert.deepEqual(
      targetInfos.map(({ targetId }) => targetId),
      [ids.ownTarget],
    );
    await door.must('Target.detachFromTarget', { sessionId });
  });

  it('refuses what is of one page in the session of the browser', async () => {
    for (const method of [
      'Fetch.enable',
      'Network.enable',
      'Runtime.evaluate',
      'Storage.clearDataForOrigin',
      'IO.read',
    ])
      await refused(method);
  });

  it('opens no files and no pages of Chromium itself', async () => {
    const secret = join(chromium.folder, 'home', 'secret.txt');
    await writeFile(secret, 'a secret of this machine', { mode: 0o644 });
    const addresses = [
      `file://${secret}`,
      `FILE://${secret}`,
      ` file://${secret}`,
      `fi\nle://${secret}`,
      `view-source:file://${secret}`,
      'view-source:about:blank',
      'chrome://version',
      'chrome:version',
      'chrome-untrusted://x',
      'devtools://devtools/bundled/inspector.html',
      'about:version',
      'javascript:1',
      'filesystem:http://a/temporary/b',
      `blob:file://${secret}`,
      `blob:chrome://version`,
      secret,
      '',
      7,
      null,
      undefined,
    ];
    for (const url of addresses) {
      await refused('Page.navigate', { url }, page);
      if (url !== '') await refused('Target.createTarget', { url });
      if (url !== undefined) await refused('Fetch.continueRequest', { requestId: 'interception-job-1.0', url }, page);
      const how = { frameId: ids.ownTarget, url, options: { disableCache: false, includeCredentials: false } };
      await refused('Network.loadNetworkResource', how, page);
    }
    const world = await door.must<{ executionContextId: number }>(
      'Page.createIsolatedWorld',
      { frameId: ids.ownTarget, worldName: 'w', grantUniveralAccess: true },
      page,
    );
    const { result } = await door.must<{ result: { value: string } }>(
      'Runtime.evaluate',
      {
        expression: `fetch('file://${secret}').then((answer) => answer.text()).catch(() => 'refused')`,
        contextId: world.executionContextId,
        awaitPromise: true,
      },
      page,
    );
    assert.equal(result.value, 'refused');
    assert.match(own.url(), /^data:/);
  });

  it('gives pages no files of this machine', async () => {
    const { root } = await door.must<{ root: { nodeId: number } }>('DOM.getDocument', {}, page);
    const { nodeId } = await door.must<{ nodeId: number }>(
      'DOM.querySelector',
      { nodeId: root.nodeId, selector: 'input' },
      page,
    );
    for (const files of [['/etc/hostname'], '/etc/hostname', { 0: '/etc/hostname', length: 1 }])
      await refused('DOM.setFileInputFiles', { nodeId, files }, page);
    await door.must('DOM.setFileInputFiles', { nodeId, files: [] }, page);
    const data = { items: [], files: ['/etc/hostname'], dragOperationsMask: 1 };
    await refused('Input.dispatchDragEvent', { type: 'drop', x: 1, y: 1, data }, page);
    assert.equal(await own.evaluate('document.querySelector("input").files.length'), 0);
  });

  it('has no way round the guard', async () => {
    let hits = 0;
    const count = createServer((_, response) => {
      hits += 1;
      response.end('canary');
    });
    const canary = await listen(count);
    await fetch(canary.url);
    assert.equal(hits, 1, 'it is there');
    for (const params of [{ proxyServer: 'direct://' }, { proxyBypassList: '127.0.0.1' }, {}])
      await refused('Target.createBrowserContext', params);
    await door.ask('Page.navigate', { url: canary.url }, page);
    const how = { frameId: ids.ownTarget, options: { disableCache: true, includeCredentials: false } };
    await door.ask('Network.loadNetworkResource', { ...how, url: canary.url }, page);
    assert.equal(hits, 1);
    await canary.close();
    // What Chromium shows instead has to be there first, or it would come in between.
    await until(() => !own.url().startsWith('data:'), 5000);
    await own.waitForLoadState();
    await own.goto('data:text/html,<title>Own</title>');
  });

  it('keeps its hands off the worlds of the host', async () => {
    const host = await context.newCDPSession(own);
    const { frameTree } = await host.send('Page.getFrameTree');
    const frameId = frameTree.frame.id;
    const { executionContextId } = await host.send('Page.createIsolatedWorld', { frameId, worldName: 'host' });
    await door.must('Runtime.enable', {}, page);
    const contexts = () =>
      door.events
        .filter(({ method }) => method === 'Runtime.executionContextCreated')
        .map(({ params }) => params.context as { id: number; name: string; uniqueId: string });
    await until(() => contexts().length > 0, 5000);
    assert.ok(!contexts().some(({ name, id }) => name === 'host' || id === executionContextId));
    for (const [method, key] of [
      ['Runtime.evaluate', 'contextId'],
      ['Runtime.callFunctionOn', 'executionContextId'],
      ['Runtime.compileScript', 'executionContextId'],
      ['Runtime.globalLexicalScopeNames', 'executionContextId'],
      ['Runtime.addBinding', 'executionContextId'],
    ] as const) {
      const params = {
        expression: '1',
        functionDeclaration: '() => 1',
        name: 'x',
        sourceURL: '',
        persistScript: false,
      };
      await refused(method, { ...params, [key]: executionContextId }, page);
      await refused(method, { ...params, [key]: String(executionContextId) }, page);
    }
    await door.must('Runtime.addBinding', { name: 'JSON' }, page);
    const { result } = await host.send('Runtime.evaluate', {
      expression: 'typeof JSON.parse',
      contextId: executionContextId,
    });
    assert.equal(result.value, 'function');
    // What is thrown and logged there would give it objects of that world.
    for (const [expression, contextId] of [
      [`setTimeout(() => { throw new Error('of the host') }); console.log('of the host', {})`, executionContextId],
      [`setTimeout(() => { throw new Error('of the page') }); console.log('of the page', {})`, undefined],
    ] as const)
      await host.send('Runtime.evaluate', { expression, ...(contextId === undefined ? {} : { contextId }) });
    const isSaid = (params: object) => JSON.stringify(params).includes('of the page');
    await door.event('Runtime.consoleAPICalled', isSaid);
    await door.event('Runtime.exceptionThrown', isSaid);
    assert.ok(!JSON.stringify(door.events).includes('of the host'));
    // Its own have the names that it gave them.
    await door.must('Page.createIsolatedWorld', { frameId, worldName: 'host' }, page);
    const mine = await door.event(
      'Runtime.executionContextCreated',
      (params) => (params.context as { name: string }).name === 'host',
    );
    const { id, uniqueId } = mine.params.context as { id: number; uniqueId: string };
    assert.notEqual(id, executionContextId);
    await door.must('Runtime.evaluate', { expression: '1', contextId: id }, page);
    await door.must('Runtime.evaluate', { expression: '1', uniqueContextId: uniqueId }, page);
    await refused('Runtime.evaluate', { expression: '1', uniqueContextId: 'x' }, page);
  });

  it('takes nothing that is not a command', async () => {
    const before = door.events.length;
    for (const text of ['', 'null', '[]', '7', '{', '{}', '{"method":"Browser.getVersion"}', '{"id":"1","method":"a"}'])
      door.take(text);
    assert.equal(door.events.length - before, 8, 'each is answered with an error');
    await refused('Page.navigate', [] as object, page);
    await refused('Page.fly', {}, page);
    await refused('toString');
  });

  it('refuses and answers every command as the table says, and the host still works', async () => {
    for (const method of methodsWith('refuse'))
      for (const session of [undefined, page]) await refused(method, {}, session);
    for (const method of methodsWith('answer').filter((one) => one !== 'Browser.close'))
      assert.deepEqual((await door.ask(method, {}, page)).result, {}, method);
    assert.equal(await own.evaluate('innerWidth'), 900);
    assert.equal(await other.title(), 'Other');
  });

  it('takes Browser.close for a wish to leave', async () => {
    const guest = await openRawDoor(chromium, ids.context);
    assert.deepEqual((await guest.ask('Browser.close')).result, {});
    assert.equal(guest.ends(), 1);
    await guest.close();
    assert.ok(chromium.browser.isConnected());
  });

  it('survives every allowed command without parameters', async () => {
    const scratch = await context.newPage();
    const cdp = await context.newCDPSession(scratch);
    const { targetInfo } = await cdp.send('Target.getTargetInfo');
    const guest = await openRawDoor(chromium, ids.context);
    const { sessionId } = await guest.must<{ sessionId: string }>('Target.attachToTarget', {
      targetId: targetInfo.targetId,
      flatten: true,
    });
    const all = ['allow', 'rewrite'].flatMap((verdict) => methodsWith(verdict as 'allow'));
    const asked = all.filter((method) => method !== 'Page.close');
    for (const method of asked) void guest.ask(method, {}, sessionId);
    for (const method of asked) void guest.ask(method);
    await guest.close();
    const inTime = <T>(work: Promise<T>): Promise<T> => within(soon(10_000), work);
    assert.equal(await inTime(own.evaluate('1')), 1);
    assert.equal(await inTime(other.title()), 'Other');
    await closePage(scratch, soon(10_000));
  });
});
