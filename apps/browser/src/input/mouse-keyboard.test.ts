import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { it } from 'node:test';
import type { CDPSession, Page } from 'playwright-core';
import { createSiteChanges } from '../pages/site-changes.ts';
import { createMouseKeyboard } from './mouse-keyboard.ts';

const frame = (url: string, loaderId: string) => ({
  id: 'main',
  url,
  loaderId,
  domainAndRegistry: new URL(url).hostname,
});

/**
 * A browser in the moment after a frame had the whole page leave: its frames are gone, and where it went is told before
 * the next answer, but was not told yet. Only a seam can hold that moment still.
 */
function pageThatWasLeft() {
  const sent: string[] = [];
  let frames = 2;
  const session = Object.assign(new EventEmitter(), {
    async send(method: string) {
      sent.push(method);
      if (method === 'Page.getFrameTree' && frames === 1)
        session.emit('Page.frameNavigated', { frame: frame('http://thief.test/', 'second') });
    },
  });
  const page = { frames: () => ({ length: frames }) } as unknown as Page;
  const sites = createSiteChanges();
  sites.follow(page, session as unknown as CDPSession, 'main');
  sites.begin(page, 'http://bank.test/', 'bank.test');
  const pages = { cdp: async () => session as unknown as CDPSession, touch: async () => {}, loads: () => 1 };
  const devices = createMouseKeyboard({
    pages,
    sites,
    documentsOf: async () => assert.fail('nobody asks a page without frames'),
  });
  return {
    devices,
    page,
    sent,
    loseFrames: () => {
      frames = 1;
    },
  };
}

for (const typing of [
  { action: 'key', key: 's', modifiers: [] },
  { action: 'type', text: 'secret' },
  { action: 'paste', text: 'secret' },
] as const) {
  it(`a person's ${typing.action} does not go to a page that a frame has just had leave`, async () => {
    const { devices, page, sent, loseFrames } = pageThatWasLeft();
    const { signal } = new AbortController();
    await devices.touch(page, { action: 'click', x: 10, y: 10, button: 'left', modifiers: [] }, signal);
    loseFrames();
    // The mouse that moves meanwhile does not make it a page that had no frames.
    await devices.touch(page, { action: 'move', x: 20, y: 20, modifiers: [] }, signal);
    await assert.rejects(devices.touch(page, { ...typing, modifiers: [] } as never, signal), /took it to another site/);
    assert.deepEqual(
      sent.filter((method) => /dispatchKeyEvent|insertText|imeSet|Runtime/.test(method)),
      [],
    );
  });
}
