// Waits until a page has drawn once more.

import type { CDPSession } from 'playwright-core';

const nextFrame = 'new Promise((done) => requestAnimationFrame(() => setTimeout(done)))';

/** Never resolves for a page that hangs or is not drawn: give it a deadline. */
export async function waitForNextFrame(cdp: CDPSession): Promise<void> {
  await cdp.send('Runtime.evaluate', { expression: nextFrame, awaitPromise: true });
}
