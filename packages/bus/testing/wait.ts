import { setTimeout as sleep } from 'node:timers/promises';

/** Waits until the condition holds, and fails the test if it does not in time. */
export async function until(condition: () => boolean | Promise<boolean>, timeoutMs = 3000): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`not so within ${timeoutMs} ms: ${condition}`);
    await sleep(5);
  }
}
