// What a key is to Chromium, on the layout most pages are written for. Without the right codes a page's shortcuts and
// the browser's own editing do nothing.

/** One key as `Input.dispatchKeyEvent` takes it. */
export type Key = {
  key: string;
  code: string;
  windowsVirtualKeyCode: number;
  /** 1: the left one of two; 3: on the number pad. */
  location: number;
  /** What it types; undefined for keys that type nothing. */
  text: string | undefined;
};

export const modifierBits = { Alt: 1, Control: 2, Meta: 4, Shift: 8 } as const;
export type Modifier = keyof typeof modifierBits;

type Entry = Key & { shifted?: Key };

const entries: Entry[] = [
  ...[...'abcdefghijklmnopqrstuvwxyz'].map((letter) => {
    const upper = letter.toUpperCase();
    return typing(`Key${upper}`, upper.charCodeAt(0), letter, upper);
  }),
  ...[...')!@#$%^&*('].map((sign, digit) => typing(`Digit${digit}`, 48 + digit, String(digit), sign)),
  typing('Space', 32, ' ', ' '),
  typing('Semicolon', 186, ';', ':'),
  typing('Equal', 187, '=', '+'),
  typing('Comma', 188, ',', '<'),
  typing('Minus', 189, '-', '_'),
  typing('Period', 190, '.', '>'),
  typing('Slash', 191, '/', '?'),
  typing('Backquote', 192, '`', '~'),
  typing('BracketLeft', 219, '[', '{'),
  typing('Backslash', 220, '\\', '|'),
  typing('BracketRight', 221, ']', '}'),
  typing('Quote', 222, "'", '"'),
  plain('Enter', 13, { text: '\r' }),
  plain('Tab', 9),
  plain('Backspace', 8),
  plain('Escape', 27),
  plain('PageUp', 33),
  plain('PageDown', 34),
  plain('End', 35),
  plain('Home', 36),
  plain('ArrowLeft', 37),
  plain('ArrowUp', 38),
  plain('ArrowRight', 39),
  plain('ArrowDown', 40),
  plain('PrintScreen', 44),
  plain('Insert', 45),
  plain('Delete', 46),
  plain('ContextMenu', 93),
  plain('CapsLock', 20),
  plain('NumLock', 144),
  plain('ScrollLock', 145),
  plain('Pause', 19),
  ...Array.from({ length: 24 }, (_, index) => plain(`F${index + 1}`, 112 + index)),
  plain('Shift', 16, { code: 'ShiftLeft', location: 1 }),
  plain('Control', 17, { code: 'ControlLeft', location: 1 }),
  plain('Alt', 18, { code: 'AltLeft', location: 1 }),
  plain('Meta', 91, { code: 'MetaLeft', location: 1 }),
  // The number pad has no keys of its own by name, so these are found by their codes only.
  ...Array.from({ length: 10 }, (_, digit) => pad(`Numpad${digit}`, 96 + digit, String(digit))),
  pad('NumpadMultiply', 106, '*'),
  pad('NumpadAdd', 107, '+'),
  pad('NumpadSubtract', 109, '-'),
  pad('NumpadDecimal', 110, '.'),
  pad('NumpadDivide', 111, '/'),
  { ...pad('NumpadEnter', 13, '\r'), key: 'Enter' },
];

const aliases: Record<string, string> = {
  Esc: 'Escape',
  Del: 'Delete',
  Return: 'Enter',
  Spacebar: ' ',
  Ctrl: 'Control',
};

const byName = new Map<string, Entry>();
for (const entry of entries.toReversed()) {
  const { shifted, ...key } = entry;
  // A name that two keys share is that of the first: Enter is the large one.
  if (key.location !== 3) byName.set(key.key, entry);
  if (shifted && shifted.key !== key.key) byName.set(shifted.key, { ...shifted, shifted });
  byName.set(key.code, entry);
}

/** The key of this name: what it types, its name, or its code. Undefined where no keyboard has it. */
export function keyOf(name: string, modifiers: Modifier[]): Key | undefined {
  const entry = byName.get(aliases[name] ?? name);
  // A letter of another alphabet has no code here, but can be typed all the same.
  const { shifted, ...found } = entry ?? letterOf(name) ?? {};
  if (!('key' in found)) return undefined;
  const key = modifiers.includes('Shift') && shifted ? shifted : found;
  const isCommand = modifiers.some((modifier) => modifier !== 'Shift');
  return isCommand ? { ...key, text: undefined } : key;
}

/** The same as an event that a script makes. */
export function eventOf({ key, code, windowsVirtualKeyCode, location }: Key, modifiers: Modifier[]): KeyboardEventInit {
  const held = {
    altKey: modifiers.includes('Alt'),
    ctrlKey: modifiers.includes('Control'),
    metaKey: modifiers.includes('Meta'),
    shiftKey: modifiers.includes('Shift'),
  };
  return { key, code, keyCode: windowsVirtualKeyCode, location, ...held };
}

/** Whether it puts a letter into a text. Enter does not: it breaks the line, or sends what was typed. */
export const typesText = ({ text }: Key): boolean => text !== undefined && text !== '\r';

const editing: Record<string, string> = { a: 'selectAll', c: 'copy', x: 'cut', v: 'paste', z: 'undo', y: 'redo' };

/** What the key does to a text besides typing. On a Mac, people hold Meta where others hold Control. */
export function commandsOf({ key }: Key, modifiers: Modifier[]): string[] {
  if (modifiers.includes('Alt') || !(modifiers.includes('Control') || modifiers.includes('Meta'))) return [];
  const letter = key.toLowerCase();
  const command = modifiers.includes('Shift') ? (letter === 'z' ? 'redo' : undefined) : editing[letter];
  return command ? [command] : [];
}

function typing(code: string, windowsVirtualKeyCode: number, low: string, high: string): Entry {
  const one = { code, windowsVirtualKeyCode, location: 0 };
  return { ...one, key: low, text: low, shifted: { ...one, key: high, text: high } };
}

function plain(key: string, windowsVirtualKeyCode: number, rest: Partial<Key> = {}): Entry {
  return { key, code: key, windowsVirtualKeyCode, location: 0, text: undefined, ...rest };
}

function pad(code: string, windowsVirtualKeyCode: number, text: string): Entry {
  return { key: text, code, windowsVirtualKeyCode, location: 3, text };
}

function letterOf(name: string): Entry | undefined {
  if ([...name].length !== 1) return undefined;
  return { key: name, code: '', windowsVirtualKeyCode: 0, location: 0, text: name };
}
