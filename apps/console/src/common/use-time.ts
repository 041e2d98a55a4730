// What a component says of the present time. It is drawn again only when it says something else.

import { useRef, useSyncExternalStore } from 'react';
import { clock } from './clock.ts';

/** `isSame`: where two values that are not the same object say the same; then the first is kept. */
export function useTime<Value>(
  read: (now: number) => Value,
  isSame: (one: Value, other: Value) => boolean = Object.is,
): Value {
  const kept = useRef<{ value: Value }>(undefined);
  return useSyncExternalStore(clock.onTick, () => {
    const value = read(clock.now());
    if (!kept.current || !isSame(kept.current.value, value)) kept.current = { value };
    return kept.current.value;
  });
}

export const saysSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
