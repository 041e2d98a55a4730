// Pastes text into the element that has the focus. Never reads or writes the clipboard of the machine.

import type { CDPSession } from 'playwright-core';
import { offerPasteEvent } from '../dom/injected/paste-event.ts';
import { isolatedContextOf } from '../dom/worlds/isolated-world.ts';

/**
 * Tells the focused element of the page of a paste, as the browser does. True if the page dealt with it. The
 * clipboard itself is left alone: a page of plain http cannot be given one. An element in a frame of another site is
 * not told, and gets the text like anything typed.
 */
export async function offerPaste(cdp: CDPSession, text: string): Promise<boolean> {
  const { frameTree } = await cdp.send('Page.getFrameTree');
  // A world of our own: what the page did to its functions does not reach into it.
  const executionContextId = await isolatedContextOf(cdp, frameTree.frame.id);
  const { result } = await cdp.send('Runtime.callFunctionOn', {
    executionContextId,
    functionDeclaration: `${offerPasteEvent}`,
    arguments: [{ value: text }],
    returnByValue: true,
    userGesture: true,
  });
  return result.value === true;
}
