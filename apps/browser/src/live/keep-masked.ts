// Masks a page, and tries again where that fails: a page that is not masked stays private.

import { setTimeout as sleep } from 'node:timers/promises';
import { startDeadline } from '../common/deadline.ts';
import type { Dom } from '../dom/dom.ts';

const tryMs = 15_000;
const retryMs = 300;

type Options = { dom: Pick<Dom, 'mask'>; signal: AbortSignal; onMasked: () => void };

/** Resolves after the first try. Further tries go on until one succeeds or the page is gone. */
export async function keepMasked({ dom, signal, onMasked }: Options): Promise<void> {
  const tryOnce = () => dom.mask(startDeadline(tryMs, signal)).then(onMasked);
  await tryOnce().catch(() => void tryAgain());

  async function tryAgain(): Promise<void> {
    await sleep(retryMs, undefined, { signal })
      .then(tryOnce)
      .catch(() => (signal.aborted ? undefined : tryAgain()));
  }
}
