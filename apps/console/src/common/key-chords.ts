// Reads key presses as the names that shortcuts are written in: `mod+k`, `shift+w`, `?`, and sequences such as `g h`.

export type KeyPress = { key: string; ctrlKey: boolean; metaKey: boolean; altKey: boolean; shiftKey: boolean };

/** How long a sequence waits for its next key. */
const sequenceMs = 1000;

/** The name of one key press. `mod` is the command key of a Mac and the control key elsewhere. */
export function nameChord(press: KeyPress, isMac: boolean): string {
  const isMod = isMac ? press.metaKey : press.ctrlKey;
  const key = press.key === ' ' ? 'space' : press.key.toLowerCase();
  // The shift of `?` is part of the key, and differs by keyboard.
  const hasShift = press.shiftKey && (/^[a-z]$/.test(key) || key.length > 1);
  return [isMod && 'mod', press.altKey && 'alt', hasShift && 'shift', key].filter(Boolean).join('+');
}

/** Whether a chord is a single key, which must be possible to switch off. */
export const isSingleKey = (chord: string): boolean => !chord.includes('mod+') && !chord.includes('alt+');

/** Finds the shortcut that a key press completes. */
export function createChordReader() {
  let begun: { chord: string; at: number } | undefined;
  return (chord: string, names: readonly string[], now: number): string | undefined => {
    const sequence = begun && now - begun.at < sequenceMs ? `${begun.chord} ${chord}` : undefined;
    begun = undefined;
    if (sequence && names.includes(sequence)) return sequence;
    if (names.includes(chord)) return chord;
    if (names.some((name) => name.startsWith(`${chord} `))) begun = { chord, at: now };
    return undefined;
  };
}
