// Programs have the wheel a moment after they connect, or after a hand-back: what is refused in words until then is tried again.

import { setTimeout as sleep } from 'node:timers/promises';

const usualMs = 30_000;
const pauseMs = 20;

/** Rejects with any other error at once. */
export async function whenFree<T>(act: () => Promise<T>, timeoutMs = usualMs): Promise<T> {
  const end = performance.now() + timeoutMs;
  for (;;) {
    try {
      return await act();
    } catch (error) {
      if (!/drives this session/.test(String(error)) || performance.now() > end) throw error;
    }
    await sleep(pauseMs);
  }
}
