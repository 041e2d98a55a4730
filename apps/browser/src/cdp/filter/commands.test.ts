import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { commandsOf } from '../../../testing/protocol.ts';
import { commands, methodsWith, type Verdict, verdictOf } from './commands.ts';
import { rules } from './rules.ts';

const shell = '/usr/lib/chromium/chromium-headless-shell';
const verdicts: Verdict[] = ['allow', 'rewrite', 'answer', 'refuse'];

describe('the table of commands', () => {
  it('has each command of the installed Chromium, and no other', async () => {
    const known = verdicts.flatMap(methodsWith);
    assert.deepEqual(known.toSorted(), (await commandsOf(shell)).toSorted());
  });

  it('has each command once', () => {
    for (const [domain, byVerdict] of Object.entries(commands)) {
      const names = Object.values(byVerdict).flatMap((text) => text.trim().split(/\s+/));
      assert.deepEqual(names.toSorted(), [...new Set(names)].toSorted(), domain);
    }
  });

  it('has a rule for each command that is rewritten, and for no other', () => {
    assert.deepEqual(Object.keys(rules).toSorted(), methodsWith('rewrite').toSorted());
  });

  it('knows no verdict for what nobody has read', () => {
    for (const method of ['Page.fly', 'Nothing.enable', 'toString', '', 'constructor.name', 'Page', '__proto__.x'])
      assert.equal(verdictOf(method), undefined, method);
  });

  it('refuses what reaches beyond the session', () => {
    const beyond = [
      'Target.createBrowserContext',
      'Target.disposeBrowserContext',
      'Target.exposeDevToolsProtocol',
      'Target.setRemoteLocations',
      'Target.sendMessageToTarget',
      'SystemInfo.getInfo',
      'SystemInfo.getProcessInfo',
      'Browser.getHistograms',
      'Browser.getBrowserCommandLine',
      'Browser.crash',
      'Browser.crashGpuProcess',
      'Browser.executeBrowserCommand',
      'Page.crash',
      'Page.waitForDebugger',
      'Security.setIgnoreCertificateErrors',
      'Tracing.start',
      'Tethering.bind',
      'Extensions.loadUnpacked',
      'PWA.install',
      'DOM.getFileInfo',
      'Input.setIgnoreInputEvents',
      'Emulation.setVirtualTimePolicy',
      'Emulation.setScriptExecutionDisabled',
      'Debugger.enable',
      'HeapProfiler.takeHeapSnapshot',
    ];
    for (const method of beyond) assert.equal(verdictOf(method), 'refuse', method);
  });

  it('answers what would change the look of the page, without doing it', () => {
    const looks = [
      'Emulation.setDeviceMetricsOverride',
      'Emulation.setEmulatedMedia',
      'Browser.setWindowBounds',
      'Browser.setDownloadBehavior',
      'Page.setDownloadBehavior',
      'Page.setFontFamilies',
      'Page.startScreencast',
      'Overlay.highlightNode',
      'Browser.close',
    ];
    for (const method of looks) assert.equal(verdictOf(method), 'answer', method);
  });
});
