import type { CDPSession } from 'playwright-core';

/**
 * Tells the focused element of the page that somebody pastes, as the browser does. True if the page dealt with it. The
 * clipboard itself is left alone: a page of plain http cannot be given one. An element in a frame of another site is
 * not told, and gets the text like anything typed.
 */
export async function offerPaste(cdp: CDPSession, text: string): Promise<boolean> {
  const { frameTree } = await cdp.send('Page.getFrameTree');
  // A world of our own: what the page did to its functions does not reach into it.
  const { executionContextId } = await cdp.send('Page.createIsolatedWorld', {
    frameId: frameTree.frame.id,
    worldName: 'pilothouse',
  });
  const { result } = await cdp.send('Runtime.callFunctionOn', {
    executionContextId,
    functionDeclaration: offer,
    arguments: [{ value: text }],
    returnByValue: true,
    userGesture: true,
  });
  return result.value === true;
}

/** Runs in the page. */
const offer = `function (text) {
  let element = document.activeElement;
  for (;;) {
    let inner = element?.shadowRoot?.activeElement;
    try { inner ??= element?.contentDocument?.activeElement } catch {}
    if (!inner) break;
    element = inner;
  }
  const clipboardData = new DataTransfer();
  clipboardData.setData('text/plain', text);
  const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true, composed: true });
  return !(element ?? document.body ?? document).dispatchEvent(event);
}`;
