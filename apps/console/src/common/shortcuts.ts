// Keyboard shortcuts of the page and of what is on it.

import { useEffect, useRef } from 'react';
import { createChordReader, isSingleKey, nameChord } from './key-chords.ts';
import { createStored } from './stored.ts';

export const isMac = /Mac|iPhone|iPad/.test(globalThis.navigator?.userAgent ?? '');

/** Single keys can be switched off: who speaks to the computer would press them by accident. */
export const singleKeys = createStored<'on' | 'off'>('pilothouse.single-keys', (kept) =>
  kept === 'off' ? 'off' : 'on',
);

type Shortcuts = Record<string, () => void>;

/** Listens while the component is shown. Single keys work only outside fields, and only while nothing lies over the page. */
export function useShortcuts(shortcuts: Shortcuts): void {
  const current = useRef(shortcuts);
  current.current = shortcuts;
  useEffect(() => {
    const read = createChordReader();
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing || event.repeat) return;
      const chord = nameChord(event, isMac);
      if (isSingleKey(chord) && (singleKeys.read() === 'off' || isTaken(event.target, chord))) return;
      const name = read(chord, Object.keys(current.current), event.timeStamp);
      if (name === undefined) return;
      event.preventDefault();
      current.current[name]?.();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, []);
}

const pressed = 'button, a[href], summary, [role="button"], [role="tab"], [role="radio"]';

/** Whether keys belong to where the focus is: a field, a list, or an open dialog; the space bar also to what it presses. */
function isTaken(target: EventTarget | null, chord: string): boolean {
  if (document.querySelector('[role="dialog"], [role="menu"]')) return true;
  if (!(target instanceof HTMLElement)) return false;
  if (chord === 'space' && target.matches(pressed)) return true;
  return target.isContentEditable || target.matches('input, textarea, select, [role="textbox"], [data-takes-keys]');
}
