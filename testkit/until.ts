import { setTimeout as sleep } from 'node:timers/promises';

/** Waits until it is so, and fails the test if it is not in time. */
export async function until(isSo: () => boolean | Promise<boolean>, timeoutMs: number): Promise<void> {
  const end = performance.now() + timeoutMs;
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`not so within ${timeoutMs} ms: ${isSo}`);
    await sleep(10);
  }
}
