// The moment that is looked back to. It is in the address, so that a link shows the same picture; while it is dragged or
// played the address follows later, because browsers limit how often it may change.

import { useCallback, useEffect, useRef, useState } from 'react';

const settleMs = 400;

const timeOf = (at: string | undefined): number | undefined => {
  const time = at === undefined ? Number.NaN : Date.parse(at);
  return Number.isNaN(time) ? undefined : time;
};

export function useMoment(at: string | undefined, setAt: (at: string | undefined) => void) {
  const [moment, setMoment] = useState(() => timeOf(at));
  const written = useRef(at);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const write = useRef(setAt);
  write.current = setAt;
  useEffect(() => {
    if (at === written.current) return;
    clearTimeout(timer.current);
    written.current = at;
    setMoment(timeOf(at));
  }, [at]);
  useEffect(() => () => clearTimeout(timer.current), []);

  /** `isSettling`: more moments follow soon. */
  const go = useCallback((next: number | undefined, isSettling = false) => {
    setMoment(next);
    clearTimeout(timer.current);
    const put = () => {
      const text = next === undefined ? undefined : new Date(next).toISOString();
      if (text === written.current) return;
      written.current = text;
      write.current(text);
    };
    if (isSettling) timer.current = setTimeout(put, settleMs);
    else put();
  }, []);
  return [moment, go] as const;
}
