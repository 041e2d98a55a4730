import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { methodsWith } from '../filter/commands.ts';
import { createHeldDown } from './held-down.ts';
import { createSwitches, switchedOff } from './switches.ts';
import { type FenceOutcome, judgeWhileDriven } from './while-driven.ts';

const driven = { epoch: 2, by: 'person' } as const;
const open = [...methodsWith('allow'), ...methodsWith('rewrite')];

describe('a guest while another drives', () => {
  const rows: [method: string, fail: FenceOutcome['kind'], wait: FenceOutcome['kind']][] = [
    ['Input.dispatchMouseEvent', 'error', 'error'],
    ['Input.dispatchKeyEvent', 'error', 'error'],
    ['Input.insertText', 'error', 'error'],
    ['Page.navigate', 'error', 'error'],
    ['Page.reload', 'error', 'error'],
    ['Page.close', 'error', 'error'],
    ['Page.handleJavaScriptDialog', 'error', 'error'],
    ['Page.captureScreenshot', 'error', 'error'],
    ['Page.printToPDF', 'error', 'error'],
    ['DOM.getOuterHTML', 'error', 'error'],
    ['DOM.setAttributeValue', 'error', 'error'],
    ['DOMSnapshot.captureSnapshot', 'error', 'error'],
    ['Accessibility.getFullAXTree', 'error', 'error'],
    ['Network.getResponseBody', 'error', 'error'],
    ['Network.getCookies', 'error', 'error'],
    ['Storage.getCookies', 'error', 'error'],
    ['Storage.setCookies', 'error', 'error'],
    ['Target.createTarget', 'error', 'error'],
    ['Target.closeTarget', 'error', 'error'],
    ['Target.activateTarget', 'error', 'error'],
    ['Fetch.enable', 'error', 'error'],
    ['Runtime.getProperties', 'error', 'error'],
    ['Runtime.evaluate', 'answer', 'error'],
    ['Runtime.callFunctionOn', 'answer', 'error'],
    ['Page.getFrameTree', 'error', 'hold'],
    ['Target.getTargets', 'error', 'hold'],
    ['Page.addScriptToEvaluateOnNewDocument', 'error', 'hold'],
    ['Browser.getVersion', 'pass', 'pass'],
    ['Target.setAutoAttach', 'pass', 'pass'],
    ['Runtime.enable', 'pass', 'pass'],
    ['Runtime.runIfWaitingForDebugger', 'pass', 'pass'],
    ['Never.heard', 'error', 'error'],
  ];
  for (const [method, fail, wait] of rows)
    it(`${method}: ${fail} or ${wait}`, () => {
      assert.equal(judgeWhileDriven('fail', method, driven).kind, fail);
      assert.equal(judgeWhileDriven('wait', method, driven).kind, wait);
    });

  it('is let through with nothing that acts or reads, whatever the way', () => {
    for (const mode of ['fail', 'wait'] as const) {
      const passed = open.filter((method) => judgeWhileDriven(mode, method, driven).kind === 'pass');
      const tame = /\.(enable|disable|attach\w*|detach\w*|setAutoAttach|setDiscoverTargets|release\w*|remove\w*)$/;
      const named = ['Browser.getVersion', 'Schema.getDomains', 'Target.getBrowserContexts'];
      const others = [
        'Runtime.runIfWaitingForDebugger',
        'Page.setLifecycleEventsEnabled',
        'Runtime.discardConsoleEntries',
      ];
      const left = passed.filter((method) => !tame.test(method) && ![...named, ...others].includes(method));
      assert.deepEqual(left, []);
      assert.ok(!passed.some((method) => /^(Input|Fetch\.enable|Storage|Emulation)/.test(method)));
    }
  });

  it('has only reads and what waits for a page kept for later, and only where it wants to wait', () => {
    const held = (mode: 'fail' | 'wait') =>
      open.filter((method) => judgeWhileDriven(mode, method, driven).kind === 'hold');
    assert.deepEqual(held('fail'), []);
    assert.deepEqual(held('wait').toSorted(), [
      'Page.addScriptToEvaluateOnNewDocument',
      'Page.createIsolatedWorld',
      'Page.getFrameTree',
      'Page.getLayoutMetrics',
      'Page.getNavigationHistory',
      'Runtime.addBinding',
      'Target.attachToTarget',
      'Target.getTargetInfo',
      'Target.getTargets',
    ]);
  });

  it('is told in words, also where a script would have thrown', () => {
    const said = JSON.stringify(judgeWhileDriven('fail', 'Runtime.evaluate', { epoch: 7, by: 'person' }));
    assert.match(said, /a person drives this session \(epoch 7\); nothing was done/);
    assert.match(
      JSON.stringify(judgeWhileDriven('wait', 'Page.navigate', { epoch: 7, by: 'agent' })),
      /a task drives this session \(epoch 7\)/,
    );
    assert.match(JSON.stringify(judgeWhileDriven('wait', 'Runtime.evaluate', driven)), /Cannot find context/);
  });
});

describe('what a guest holds down', () => {
  const mouse = (type: string, button = 'left') => ['Input.dispatchMouseEvent', { type, button, x: 5, y: 6 }] as const;
  const key = (type: string, name: string) =>
    ['Input.dispatchKeyEvent', { type, key: name, code: name, windowsVirtualKeyCode: 16 }] as const;

  it('is let go beside the page, page by page, and once', () => {
    const held = createHeldDown();
    held.note('A', ...mouse('mousePressed'));
    held.note('A', ...key('keyDown', 'Shift'));
    held.note('B', 'Input.dispatchTouchEvent', { type: 'touchStart' });
    held.note('B', 'Input.dispatchDragEvent', { type: 'dragEnter' });
    assert.deepEqual(
      held.release().map(({ sessionId, method, params }) => [sessionId, method, (params as { type?: string })?.type]),
      [
        ['A', 'Input.dispatchMouseEvent', 'mouseMoved'],
        ['A', 'Input.dispatchMouseEvent', 'mouseReleased'],
        ['A', 'Input.dispatchKeyEvent', 'keyUp'],
        ['B', 'Input.cancelDragging', undefined],
        ['B', 'Input.dispatchTouchEvent', 'touchCancel'],
      ],
    );
    assert.deepEqual(held.release(), []);
  });

  it('is not let go of a second time, where it was let go of for the guest', () => {
    const held = createHeldDown();
    const mouse = (type: string, button: string) => ['p1', 'Input.dispatchMouseEvent', { type, button }] as const;
    held.note(...mouse('mousePressed', 'left'));
    assert.ok(!held.isUpAlready(...mouse('mouseReleased', 'left')), 'the guest lets go itself');
    held.release();
    assert.ok(!held.isUpAlready(...mouse('mouseReleased', 'right')));
    assert.ok(held.isUpAlready(...mouse('mouseReleased', 'left')));
    assert.ok(!held.isUpAlready(...mouse('mouseReleased', 'left')), 'once');
    held.note(...mouse('mousePressed', 'left'));
    held.release();
    held.note(...mouse('mousePressed', 'left'));
    assert.ok(!held.isUpAlready(...mouse('mouseReleased', 'left')), 'it was pressed again');
  });

  it('is nothing once the guest let go itself, or the page is gone', () => {
    const held = createHeldDown();
    held.note('A', ...mouse('mousePressed'));
    held.note('A', ...mouse('mouseReleased'));
    held.note('A', ...key('rawKeyDown', 'a'));
    held.note('A', ...key('keyUp', 'a'));
    held.note('A', 'Input.dispatchTouchEvent', { type: 'touchStart' });
    held.note('A', 'Input.dispatchTouchEvent', { type: 'touchEnd' });
    held.note('A', ...mouse('mouseMoved', 'none'));
    held.note('B', ...mouse('mousePressed', 'right'));
    held.forget('B');
    assert.deepEqual(held.release(), []);
  });

  it('is refused where it could not be kept', () => {
    const held = createHeldDown();
    const objection = (params: object) => held.objectionTo('Input.dispatchKeyEvent', { type: 'keyDown', ...params });
    for (const params of [{ key: 'x'.repeat(101) }, { code: 'x'.repeat(101) }, { key: {} }, { location: [1] }])
      assert.match(objection(params) ?? '', /at most 100 characters/);
    for (let n = 0; n < 200; n += 1) {
      assert.equal(objection({ key: `${n}` }), undefined);
      held.note(n % 2 ? 'A' : 'B', ...key('keyDown', `${n}`));
    }
    assert.match(objection({ key: 'a' }) ?? '', /too many keys/);
    assert.equal(held.objectionTo('Input.dispatchKeyEvent', { type: 'keyUp', key: '1' }), undefined);
    held.note('A', ...mouse('mousePressed', 'x'.repeat(1000)));
    assert.ok(held.release().every(({ method }) => method === 'Input.dispatchKeyEvent'));
  });

  it('releases the button that is down, and no other', () => {
    const held = createHeldDown();
    held.note('A', ...mouse('mousePressed', 'right'));
    held.note('A', ...mouse('mouseReleased', 'left'));
    assert.deepEqual(held.release().at(-1)?.params, { x: -10, y: -10, type: 'mouseReleased', button: 'right' });
  });
});

describe('what a guest has switched on', () => {
  it('is switched off for another driver, and put back as it was', () => {
    const switches = createSwitches();
    const patterns = { patterns: [{ urlPattern: '*' }] };
    const offline = { offline: true, latency: 0, downloadThroughput: -1, uploadThroughput: -1 };
    switches.note('A', 'Fetch.enable', patterns);
    switches.note('A', 'Network.emulateNetworkConditions', offline);
    switches.note('B', 'Input.setInterceptDrags', { enabled: true });
    switches.note('B', 'Network.setBlockedURLs', { urls: ['*.png'] });
    assert.deepEqual(
      switches.off().map(({ sessionId, method }) => [sessionId, method]),
      [
        ['A', 'Fetch.disable'],
        ['A', 'Network.emulateNetworkConditions'],
        ['B', 'Input.setInterceptDrags'],
        ['B', 'Network.setBlockedURLs'],
      ],
    );
    assert.deepEqual(switches.on(), [
      { sessionId: 'A', method: 'Fetch.enable', params: patterns },
      { sessionId: 'A', method: 'Network.emulateNetworkConditions', params: offline },
      { sessionId: 'B', method: 'Input.setInterceptDrags', params: { enabled: true } },
      { sessionId: 'B', method: 'Network.setBlockedURLs', params: { urls: ['*.png'] } },
    ]);
  });

  /** What is left behind by commands that are let through and have no switch, and why it may be. */
  const mayStay: Record<string, RegExp> = {
    'it reads':
      /\.(can|capture|check|collect|describe|fetch|get|perform|print|pushNode|query|read|request|resolve|search|stream|take)/,
    'it ends something':
      /\.(cancel|clear|close|delete|detach|disable|discard|release|remove|reset|stop|unregister|untrack|fail|globalLexical)/,
    'it is about what the guest itself is told or measures':
      /^(?!Fetch|WebAuthn)\w+\.enable$|\.(track|start)(?!Worker)|^(Audits|Log|Performance|Profiler|Runtime)\.set|\.set(AttachDebugStack|LifecycleEventsEnabled|NodeStackTracesEnabled)$|enableReportingApi/,
    'it is an act, or lets a page go on, which is over when it is answered':
      /^(Input\.(dispatch|emulate|ime|insert|synth)|Page\.(bring|handle|navigate|reload)|Target\.|Fetch\.(continue|fulfill)|Network\.loadN)|Runtime\.runIf|DOM\.(focus|scroll|setFileInputFiles)|^Runtime\.awaitPromise/,
    'it is of the document, which scripts of the guest may change as well':
      /^DOM\.(copyTo|markUndoable|moveTo|redo|undo|set(Attribute|Node|Outer))|^CSS\.(addRule|createStyleSheet|set)|setDocumentContent/,
    'scripts are of the page, as docs/decisions/0063 says':
      /^Page\.(addScript|createIsolated)|^Runtime\.(addBinding|callFunctionOn|compileScript|evaluate|runScript)/,
    'cookies, storage, permissions and keys are of the session':
      /^(Network|Storage)\.setCookies?$|setDOMStorageItem|^Browser\.(grant|set)Permission|^ServiceWorker|^WebAuthn/,
  };

  it('is nothing else that would stay on for another driver', () => {
    const left = open.filter(
      (method) => !switchedOff(method) && !Object.values(mayStay).some((pattern) => pattern.test(method)),
    );
    assert.deepEqual(left, []);
  });

  it('goes off with each of its commands, and comes back as what was said last', () => {
    const rows: [string, object, object][] = [
      [
        'Network.emulateNetworkConditionsByRule',
        { matchedNetworkConditions: [{ urlPattern: '' }] },
        { matchedNetworkConditions: [] },
      ],
      [
        'Network.overrideNetworkState',
        { offline: true },
        { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: -1 },
      ],
      ['Network.setExtraHTTPHeaders', { headers: { a: 'b' } }, { headers: {} }],
      ['Network.setUserAgentOverride', { userAgent: 'x' }, { userAgent: '' }],
      ['Emulation.setUserAgentOverride', { userAgent: '', platform: 'x' }, { userAgent: '' }],
      ['Network.setCacheDisabled', { cacheDisabled: true }, { cacheDisabled: false }],
      ['Network.setBypassServiceWorker', { bypass: true }, { bypass: false }],
      ['Page.setBypassCSP', { enabled: true }, { enabled: false }],
      ['Page.setPrerenderingAllowed', { isAllowed: false }, { isAllowed: true }],
    ];
    const switches = createSwitches();
    for (const [method, on] of rows) switches.note('A', method, { ...on });
    assert.deepEqual(
      switches.off().map(({ method }) => method),
      rows.map(([method]) => method),
    );
    switches.note('A', 'Network.setUserAgentOverride', { userAgent: 'y' });
    assert.deepEqual(switches.on().at(-1), {
      ...{ method: 'Network.setUserAgentOverride', params: { userAgent: 'y' } },
      sessionId: 'A',
    });
    for (const [method, , off] of rows) switches.note('A', method, { ...off });
    assert.deepEqual(switches.on(), []);
  });

  it('is forgotten once the guest switched it off, or the page is gone', () => {
    const switches = createSwitches();
    switches.note('A', 'Fetch.enable', {});
    switches.note('A', 'Fetch.disable', {});
    switches.note('A', 'Input.setInterceptDrags', { enabled: true });
    switches.note('A', 'Input.setInterceptDrags', { enabled: false });
    switches.note('A', 'Network.setBlockedURLs', { urls: ['*'] });
    switches.note('A', 'Network.setBlockedURLs', { urls: [] });
    switches.note('A', 'Page.enable', {});
    switches.note('B', 'Fetch.enable', {});
    switches.forget('B');
    assert.deepEqual([switches.off(), switches.on()], [[], []]);
  });

  it('is switched off by what is off itself', () => {
    const switches = createSwitches();
    switches.note('A', 'Fetch.enable', {});
    switches.note('A', 'Network.emulateNetworkConditions', { offline: true });
    switches.note('A', 'Input.setInterceptDrags', { enabled: true });
    switches.note('A', 'Network.setBlockedURLs', { urls: ['*'] });
    switches.note('A', 'Emulation.setGeolocationOverride', { latitude: 1, longitude: 2, accuracy: 3 });
    switches.note('A', 'Network.emulateNetworkConditionsByRule', { offline: true, matchedNetworkConditions: [] });
    switches.note('A', 'Network.overrideNetworkState', { offline: true });
    for (const { method, params = {} } of switches.off()) switches.note('A', method, params as Record<string, unknown>);
    assert.deepEqual(switches.on(), []);
  });
});
