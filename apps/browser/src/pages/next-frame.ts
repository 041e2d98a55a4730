import type { CDPSession } from 'playwright-core';

const nextFrame = 'new Promise((done) => requestAnimationFrame(() => setTimeout(done)))';

/** Resolves when the page has drawn once more. One that hangs or is not drawn never does: give it a deadline. */
export async function passFrame(cdp: CDPSession): Promise<void> {
  await cdp.send('Runtime.evaluate', { expression: nextFrame, awaitPromise: true });
}
