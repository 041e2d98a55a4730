// Whether the yes of a card can be pressed, from what of the card is in sight.

import { type RefObject, useEffect, useState } from 'react';
import { createArming } from './arming.ts';

/** `act` says what the yes is for. A new card begins again, and so does one whose answer was not taken. */
export function useArmed(
  act: RefObject<HTMLElement | null>,
  yes: RefObject<HTMLElement | null>,
  isAsking: boolean,
): boolean {
  const [isArmed, setArmed] = useState(false);
  useEffect(() => {
    setArmed(false);
    if (!isAsking || !act.current || !yes.current) return;
    const names = new Map<Element, string>([
      [act.current, 'act'],
      [yes.current, 'yes'],
    ]);
    const arming = createArming({ parts: ['act', 'yes'], onArmed: () => setArmed(true) });
    const observer = new IntersectionObserver(
      (entries) => {
        for (const { target, isIntersecting } of entries) arming.sees(names.get(target) ?? '', isIntersecting);
      },
      // All of it, with room for a fraction of a pixel that is cut off.
      { threshold: 0.95 },
    );
    for (const element of names.keys()) observer.observe(element);
    const onVisibility = () => arming.shows(document.visibilityState === 'visible');
    document.addEventListener('visibilitychange', onVisibility);
    onVisibility();
    return () => {
      document.removeEventListener('visibilitychange', onVisibility);
      observer.disconnect();
      arming.close();
    };
  }, [act, yes, isAsking]);
  return isArmed && isAsking;
}
