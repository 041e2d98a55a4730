// Ways out of a session that take more than one command: each is tried to its end, whatever was refused on the way.

import { setTimeout as sleep } from 'node:timers/promises';
import type { HostileHand } from './hostile-hand.ts';
import type { Prey } from './hostile-site.ts';

type Parts = { hand: HostileHand; prey: Prey; foreign: { targetId: string; sessionId: string } };
type Trick = (parts: Parts & { sessionId: string; own: Record<string, unknown>; ask: Ask }) => Promise<unknown>;
type Ask = (method: string, params?: object, sessionId?: string) => ReturnType<HostileHand['ask']>;

const answerMs = 4000;
/** For a load or a download that was let through. */
const settleMs = 400;

const textOfPage = 'document.documentElement.outerHTML';

export const tricks: Record<string, Trick> = {
  async 'a context round the guard'({ prey, ask }) {
    for (const way of [{ proxyServer: 'direct://' }, { proxyServer: 'direct://', proxyBypassList: '127.0.0.1' }, {}]) {
      const made = await ask('Target.createBrowserContext', { disposeOnDetach: true, ...way });
      const browserContextId = made?.result?.browserContextId;
      await ask('Target.createTarget', { url: prey.canaryUrl, browserContextId });
    }
  },
  async 'a file as a page'({ prey, ask, sessionId, hand }) {
    for (const scheme of ['file://', 'view-source:file://', 'FILE://localhost', 'file:', 'filesystem:file://']) {
      await ask('Page.navigate', { url: scheme + prey.file }, sessionId);
      await ask('Target.createTarget', { url: scheme + prey.file });
      await ask('Page.setDocumentContent', { frameId: '', html: `<iframe src="${scheme}${prey.file}">` }, sessionId);
      await hand.run(sessionId, `location.href = ${JSON.stringify(scheme + prey.file)}`).catch(() => undefined);
      await hand.run(sessionId, textOfPage).catch(() => undefined);
    }
    await ask('Page.captureSnapshot', {}, sessionId);
  },
  async 'a file of the machine in a field'({ prey, ask, sessionId, own, hand }) {
    const read = `Promise.all([...document.querySelector('input').files].map((file) => file.text()))`;
    for (const place of [{ nodeId: own.nodeId }, { objectId: own.objectId }, { backendNodeId: own.backendNodeId }])
      for (const files of [[prey.file], prey.file, { 0: prey.file, length: 1 }, [`file://${prey.file}`]]) {
        await ask('DOM.setFileInputFiles', { ...place, files }, sessionId);
        await ask('Runtime.evaluate', { expression: read, awaitPromise: true, returnByValue: true }, sessionId);
      }
    const data = { items: [], files: [prey.file], dragOperationsMask: 1 };
    for (const type of ['dragEnter', 'dragOver', 'drop'])
      await ask('Input.dispatchDragEvent', { type, x: 20, y: 20, data }, sessionId);
    await ask('Page.setInterceptFileChooserDialog', { enabled: true }, sessionId);
    await ask('Runtime.evaluate', { expression: read, awaitPromise: true, returnByValue: true }, sessionId);
    await hand.run(sessionId, textOfPage).catch(() => undefined);
  },
  async 'a download into a folder of the machine'({ prey, ask, sessionId, hand }) {
    const allow = { behavior: 'allow', downloadPath: prey.drop, eventsEnabled: true };
    await ask('Browser.setDownloadBehavior', allow);
    await ask('Browser.setDownloadBehavior', { ...allow, behavior: 'allowAndName' }, sessionId);
    await ask('Page.setDownloadBehavior', allow, sessionId);
    await hand.run(sessionId, `document.querySelector('a').click()`).catch(() => undefined);
    await ask('Page.navigate', { url: `${prey.siteUrl}/file` }, sessionId);
    await sleep(settleMs);
  },
  async 'requests that are sent on elsewhere'({ prey, ask, sessionId, hand }) {
    for (const url of [prey.canaryUrl, `file://${prey.file}`, 'chrome://version/']) {
      await ask('Fetch.enable', { patterns: [{ urlPattern: '*' }] }, sessionId);
      const loading = ask('Page.navigate', { url: `${prey.ownUrl}?again` }, sessionId);
      await sleep(settleMs / 4);
      const { requestId } = hand.lastEvent('Fetch.requestPaused') ?? {};
      await ask('Fetch.continueRequest', { requestId, url }, sessionId);
      await ask('Fetch.disable', {}, sessionId);
      await loading;
    }
  },
  async 'what the browser loads for itself'({ prey, ask, sessionId, own }) {
    const options = { disableCache: true, includeCredentials: true };
    for (const url of [prey.canaryUrl, `file://${prey.file}`, prey.file])
      for (const frameId of [own.frameId, undefined]) {
        const loaded = await ask('Network.loadNetworkResource', { url, frameId, options }, sessionId);
        const { stream } = (loaded?.result?.resource ?? {}) as { stream?: string }; // as the protocol has it
        if (stream) await ask('IO.read', { handle: stream }, sessionId);
        await ask('Page.getResourceContent', { frameId, url }, sessionId);
      }
    for (const handle of [prey.file, `blob:${prey.file}`, '1', '2']) await ask('IO.read', { handle }, sessionId);
  },
  async 'a protocol for the page itself'({ prey, ask, sessionId, own, hand, foreign }) {
    for (const targetId of [own.targetId, foreign.targetId])
      await ask('Target.exposeDevToolsProtocol', { targetId, bindingName: 'cdp', inheritPermissions: true });
    const said = JSON.stringify({ id: 1, method: 'Page.navigate', params: { url: `file://${prey.file}` } });
    await hand.run(sessionId, `globalThis.cdp?.send(${JSON.stringify(said)})`).catch(() => undefined);
  },
  async 'the page of another user'({ ask, foreign, own }) {
    const everything = { filter: [{}], autoAttach: true, waitForDebuggerOnStart: false, flatten: true };
    await ask('Target.setDiscoverTargets', { discover: true, filter: [{}] });
    await ask('Target.setAutoAttach', everything);
    await ask('Target.getTargets', { filter: [{}] });
    const inner = JSON.stringify({ id: 1, method: 'Runtime.evaluate', params: { expression: textOfPage } });
    for (const { targetId, sessionId } of [foreign, { ...foreign, targetId: 'browser' }]) {
      await ask('Target.attachToTarget', { targetId, flatten: true });
      await ask('Target.attachToTarget', { targetId, flatten: false });
      await ask('Target.getTargetInfo', { targetId });
      await ask('Target.autoAttachRelated', { targetId, waitForDebuggerOnStart: false, filter: [{}] });
      await ask('Target.sendMessageToTarget', { targetId, sessionId, message: inner });
      await ask('Target.closeTarget', { targetId });
      for (const method of ['Runtime.evaluate', 'Page.captureSnapshot', 'Network.getAllCookies', 'Page.close'])
        await ask(method, { expression: textOfPage, returnByValue: true }, sessionId);
      await ask('Target.detachFromTarget', { sessionId });
    }
    const browser = await ask('Target.attachToBrowserTarget');
    const inBrowser = String(browser?.result?.sessionId);
    await ask('Target.getTargets', { filter: [{}] }, inBrowser);
    await ask('Target.attachToTarget', { targetId: foreign.targetId, flatten: true }, inBrowser);
    for (const browserContextId of ['', 'default', own.targetId, foreign.targetId, null, 0])
      for (const method of ['Storage.getCookies', 'Storage.clearCookies', 'Browser.resetPermissions'])
        await ask(method, { browserContextId });
    await ask('Target.setAutoAttach', { ...everything, autoAttach: false });
  },
};

/** Returns the tricks that were begun, for those that could not be carried out. */
export async function playTricks(parts: Parts): Promise<string[]> {
  const failed: string[] = [];
  for (const [name, trick] of Object.entries(tricks)) {
    const { sessionId, own } = await parts.hand.page({ isNew: true });
    const ask: Ask = (method, params = {}, session) => parts.hand.ask(method, params, session, answerMs);
    await trick({ ...parts, sessionId, own, ask }).catch((error) => failed.push(`${name}: ${error}`));
    await sleep(settleMs / 4);
  }
  return failed;
}
