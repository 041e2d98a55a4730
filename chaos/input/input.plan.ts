// What a hand might do, and what a page must then have been told.

import type { NumberedInput } from '@pilothouse/bus';

type Input = NumberedInput['input'];
type Modifier = 'Alt' | 'Control' | 'Meta' | 'Shift';
type Random = () => number;

/** More than one sequence has inputs. */
const PLACES = 60;

/** The same numbers between 0 and 1 for the same seed. */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Some inputs at places of their own, so that each can be told from the others, also from those of the sequence before.
 * The last key makes the page tell.
 */
export function planInputs(random: Random, sequence: number): Input[] {
  const pick = <T>(...ones: [T, ...T[]]): T => ones[Math.floor(random() * ones.length)] ?? ones[0];
  let place = sequence * PLACES;
  const at = () => {
    place += 1;
    return { x: 20 + ((place * 37) % 1200), y: 20 + ((place * 53) % 680) };
  };
  const mods = (): Modifier[] => pick<Modifier[]>([], [], ['Shift'], ['Control'], ['Alt', 'Shift']);
  const moves = () => Array.from({ length: Math.floor(random() * 4) }, () => move());
  const move = (): Input => ({ action: 'move', ...at(), modifiers: [] });
  const press = (action: 'click' | 'double_click'): Input[] => [
    { action, ...at(), button: pick('left', 'left', 'right'), modifiers: mods() },
  ];
  const drag = (): Input[] => [
    { action: 'down', ...at(), button: 'left', modifiers: [] },
    ...moves(),
    { action: 'up', ...at(), button: 'left', modifiers: [] },
  ];
  const word = () => `${pick('ab', 'Łódź', '東京', '😀')}${Math.floor(random() * 1000)}`;
  const some: (() => Input[])[] = [
    moves,
    moves,
    () => press('click'),
    () => press('double_click'),
    drag,
    () => [{ action: 'scroll', ...at(), delta_x: 0, delta_y: pick(-40, 40, 120), modifiers: [] }],
    () => [{ action: 'key', key: pick('a', 'Q', '7', 'ArrowLeft', 'Home', 'Escape', '?'), modifiers: mods() }],
    () => [{ action: 'type', text: word() }],
    () => [
      { action: 'compose', text: 'に' },
      { action: 'type', text: '日本' },
    ],
    () => [{ action: 'paste', text: word() }],
  ];
  const inputs = Array.from({ length: 3 + Math.floor(random() * 8) }, () => pick(...(some as [() => Input[]]))());
  // Some leave a button down for the next driver to be rid of.
  const left: Input[] = random() < 0.2 ? [{ action: 'down', ...at(), button: 'left', modifiers: [] }] : [];
  return [...inputs.flat(), ...left, { action: 'key', key: 'F9', modifiers: [] }];
}

const shifted: Record<string, string> = { a: 'A', 7: '&' };
const words = { Alt: 'alt', Control: 'ctrl', Meta: 'meta', Shift: 'shift' };

/** What the page notes for these, with every move. */
export function expectedLog(inputs: Input[]): string[] {
  const log: string[] = [];
  let at = '';
  const goTo = (place: string) => {
    if (place !== at) log.push(`move ${place}`);
    at = place;
  };
  for (const input of inputs) {
    const held = 'modifiers' in input ? input.modifiers : [];
    const note = (...parts: (string | number)[]) => log.push([...parts, heldNames(held)].join(' ').trim());
    if ('x' in input) goTo(`${input.x} ${input.y}`);
    if (input.action === 'click' || input.action === 'double_click') {
      const button = input.button === 'left' ? 0 : 2;
      for (let count = 1; count <= (input.action === 'click' ? 1 : 2); count++) {
        note('mousedown', at, button);
        note('mouseup', at, button);
        if (button === 0) note('click', at, button);
        if (button === 0 && count === 2) note('dblclick', at, button);
      }
    }
    if (input.action === 'down') note('mousedown', at, 0);
    if (input.action === 'up') {
      note('mouseup', at, 0);
      note('click', at, 0);
    }
    if (input.action === 'scroll') note('wheel', input.delta_x, input.delta_y);
    if (input.action === 'paste') note('paste', input.text);
    if (input.action === 'type' || input.action === 'compose' || input.action === 'paste') note('input', input.text);
    if (input.action === 'key') strike(input.key, held, log);
  }
  return log;
}

function strike(name: string, held: Modifier[], log: string[]): void {
  const key = held.includes('Shift') ? (shifted[name] ?? name) : name;
  const types = key.length === 1 && held.every((one) => one === 'Shift');
  for (const [index, one] of held.entries()) log.push(`keydown ${one} ${heldNames(held.slice(0, index + 1))}`.trim());
  log.push(`keydown ${key} ${heldNames(held)}`.trim());
  if (types) log.push(`input ${key}`);
  log.push(`keyup ${key} ${heldNames(held)}`.trim());
  for (const [index, one] of held.toReversed().entries())
    log.push(`keyup ${one} ${heldNames(held.slice(0, held.length - 1 - index))}`.trim());
}

const heldNames = (held: Modifier[]) =>
  held
    .map((one) => words[one])
    .sort()
    .join('+');

/**
 * Why what the page noted is not what was meant, or undefined. Moves may be left out where a newer one followed, but not
 * the last before something else, and none may be added or swapped.
 */
export function difference(expected: string[], actual: string[]): string | undefined {
  const [meant, seen] = [splitMoves(expected), splitMoves(actual)];
  const others = (parts: Part[]) => parts.map(({ before }) => before).join('\n');
  if (others(meant) !== others(seen)) return `told ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`;
  for (const [index, { moves, before }] of meant.entries()) {
    const moved = seen[index]?.moves ?? [];
    if (moves.at(-1) !== moved.at(-1) || !isPartOf(moved, moves)) {
      return `moved ${moved} instead of ${moves} before ${before}`;
    }
  }
  return undefined;
}

type Part = { moves: string[]; before: string };

function splitMoves(log: string[]): Part[] {
  const parts: Part[] = [];
  let moves: string[] = [];
  for (const line of log) {
    if (line.startsWith('move ')) moves.push(line);
    else {
      parts.push({ moves, before: line });
      moves = [];
    }
  }
  return parts;
}

function isPartOf(some: string[], all: string[]): boolean {
  let from = 0;
  return some.every((one) => {
    from = all.indexOf(one, from) + 1;
    return from > 0;
  });
}
