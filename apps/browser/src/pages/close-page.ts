// Closes a page for good. Chromium forgets the wish to close a page whose document is just being replaced, as by a reload,
// so it is asked again: nothing that closes a page may wait for ever.

import type { Page } from 'playwright-core';
import { bestEffort } from '../common/best-effort.ts';
import { type Deadline, startDeadline, within } from '../common/deadline.ts';

const askAgainMs = 500;
const usualMs = 10_000;

/** Without asking the page whether it may be left. A WaitError when it is still there at the deadline. */
export async function closePage(
  page: Page,
  deadline: Deadline = startDeadline(usualMs, new AbortController().signal),
): Promise<void> {
  const closed = page.close({ runBeforeUnload: false });
  const timer = setInterval(() => void bestEffort('close a page again', closeTarget(page)), askAgainMs);
  await within(deadline, closed).finally(() => clearInterval(timer));
}

async function closeTarget(page: Page): Promise<void> {
  const cdp = await page.context().newCDPSession(page);
  const { targetInfo } = await cdp.send('Target.getTargetInfo');
  await cdp.send('Target.closeTarget', { targetId: targetInfo.targetId });
}
