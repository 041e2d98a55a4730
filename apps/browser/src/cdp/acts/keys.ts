// What a key event of a guest writes, or which key it presses.

type Params = Record<string, unknown>;
type Typed = { type: 'text'; text: string } | { type: 'key'; key: string };

const maxKeyChars = 30;
/** In the order in which people say them, by their bits in the protocol. Shift is part of the text that a key writes. */
const modifiers = [
  [2, 'Control'],
  [1, 'Alt'],
  [4, 'Meta'],
] as const;
const shiftBit = 8;
const modifierKeys = new Set(['Shift', 'Control', 'Alt', 'Meta', 'CapsLock', 'AltGraph']);

/** Undefined for keys that are let go, and for modifiers alone. */
export function typedText({ type, key, text, modifiers: held }: Params): Typed | undefined {
  if (type !== 'keyDown' && type !== 'rawKeyDown' && type !== 'char') return undefined;
  const bits = typeof held === 'number' ? held : 0;
  const names = modifiers.filter(([bit]) => (bits & bit) !== 0).map(([, name]) => name);
  const written = typeof text === 'string' ? text : '';
  // Whatever is held with it: some layouts write characters of passwords with Control and Alt.
  if (isPrintable(written)) return { type: 'text', text: written };
  // The text of such a key came with its `keyDown`, or comes with a `char`.
  if (type === 'char' || typeof key !== 'string' || key === '' || modifierKeys.has(key)) return undefined;
  if (names.length === 0 && key.length === 1) return undefined;
  const isShifted = (bits & shiftBit) !== 0 && key.length > 1;
  return { type: 'key', key: [...names, ...(isShifted ? ['Shift'] : []), key.slice(0, maxKeyChars)].join('+') };
}

/** A return is a key, and no text. */
const isPrintable = (text: string): boolean => text !== '' && !/^[\p{Cc}]+$/u.test(text);
