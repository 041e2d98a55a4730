import type { TokenStorage } from '../src/index.ts';

type Write = { by: number; at: number; key: string; value: string | null };

/** One storage as two tabs see it that are two processes: what one writes, the other sees a moment later. */
export function createLaggingStorage(lagMs: number): [TokenStorage, TokenStorage] {
  const writes: Write[] = [];
  const viewOf = (by: number): TokenStorage => {
    const write = (key: string, value: string | null) => void writes.push({ by, at: performance.now(), key, value });
    const isSeen = (one: Write) => one.by === by || performance.now() - one.at >= lagMs;
    return {
      getItem: (key) => writes.findLast((one) => one.key === key && isSeen(one))?.value ?? null,
      setItem: write,
      removeItem: (key) => write(key, null),
    };
  };
  return [viewOf(0), viewOf(1)];
}
