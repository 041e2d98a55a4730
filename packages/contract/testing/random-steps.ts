// Steps as nobody would write them, but as the contract allows them. The same seed gives the same steps.
import type { Action, Condition, Step, Target } from '../src/tasks/step.ts';
import { WebUrl } from '../src/types/url.ts';

/** A small generator of numbers from 0 up to 1 (mulberry32): a failing seed must fail again. */
function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** What has a meaning in a script, or is easily lost. */
const nasty = [
  ...['"', '“', '”', '„', '«', '»', "'", '`', '\\', '\\\\', '\\"', '\\n', '\\u{41}', '\\u{', '{', '}', '{name}', '\\{'],
  ...[
    '\n',
    '\r',
    '\r\n',
    '\t',
    '\u0001',
    '\u007f',
    '\u0085',
    '\u2028',
    '\u2029',
    '\u00a0',
    '\u3000',
    '\ufeff',
    ' ',
    '  ',
  ],
  ...['#', ' # ', '--', ' -- ', '—', '!', '.', ',', ';', '...', '=', '+', 'Control+', '|', '/', ':', '[', ']'],
  ...[
    'as',
    'into',
    'in',
    'in frame',
    'to',
    'within',
    'until',
    'the',
    'step {"action":"back"}',
    'let x = "y"',
    'button',
    'text',
    'ref',
  ],
  ...[
    'Sign in',
    'Größe',
    'résumé',
    'e\u0301',
    'שלום',
    '\u202eabc\u202c',
    '价格',
    '👩‍👩‍👧',
    '🏳️‍🌈',
    '\u{10ffff}',
    '0',
    '30 s',
    'p1',
    'e12',
    'https://',
  ],
];

export function createGenerator(seed: number) {
  const random = createRandom(seed);
  const below = (count: number) => Math.floor(random() * count);
  const chance = (share: number) => random() < share;
  // An index below the length is always there.
  const pick = <T>(items: readonly T[]): T => items[below(items.length)] as T;

  const character = () => {
    const point = 1 + below(chance(0.7) ? 0x2fff : 0x10ffff);
    return point >= 0xd800 && point <= 0xdfff ? 'x' : String.fromCodePoint(point);
  };
  const text = (max: number, min = 0): string => {
    const wanted = chance(0.02) ? max : min + below(chance(0.5) ? 3 : 12);
    let value = '';
    for (let left = wanted; left > 0; left -= 1) {
      const piece = chance(0.8) ? pick(nasty) : character();
      if (value.length + piece.length > max) break;
      value += piece;
    }
    return value.length < min ? 'x' : value;
  };
  const word = (max: number) =>
    chance(0.5) ? pick(['prices', 'p1', 'e12', 'Enter', 'Control+A', 'a.b', 'x.']) : text(max, 1);
  const maybe = <T>(make: () => T): T | undefined => (chance(0.4) ? make() : undefined);

  const url = (): string => {
    const made = pick([
      () => pick(['about:blank', 'https://example.com', 'HTTP://[::1]:80/', ' https://example.com/a.', 'ht\ntp://a']),
      () => `https://example.com/${text(300)}`,
      () => `data:text/html,${text(300)}`,
    ])();
    return WebUrl.safeParse(made).success ? made : 'https://example.com/?q="{a}"#b';
  };
  const target = (): Target => {
    const one = pick<() => Target>([
      () => text(500, 1),
      () => ({ name: text(500, 1) }),
      () => ({ role: pick(['button', 'link', 'table', 'image', 'Button', 'text', text(50, 1)]), name: text(500, 1) }),
      () => ({ text: text(500, 1) }),
      () => ({ label: text(500, 1) }),
      () => ({ css: text(2000, 1) }),
      () => ({ ref: word(100) }),
    ])();
    if (typeof one === 'string' || chance(0.6)) return one;
    const isWithin = !('ref' in one) && chance(0.5);
    return {
      ...one,
      ...(isWithin && { within: text(500, 1) }),
      ...((!isWithin || chance(0.5)) && { frame: text(500, 1) }),
    };
  };
  const sight = (): Condition =>
    pick<() => Condition>([
      () => ({ text: text(500, 1) }),
      () => ({ selector: text(2000, 1) }),
      () => ({ url: text(2000, 1) }),
    ])();
  const pixels = () => pick([0, 1, -1, 100_000, -100_000, below(2000) - 1000]);
  const seconds = () => pick([0, 30, 600, 0.5, 1e-7, 0.1 + 0.2, random() * 600]);

  const makers: { [A in Action]: () => Extract<Step, { action: A }> } = {
    navigate: () => ({ action: 'navigate', url: url() }),
    back: () => ({ action: 'back' }),
    forward: () => ({ action: 'forward' }),
    reload: () => ({ action: 'reload' }),
    click: () => ({ action: 'click', target: target() }),
    double_click: () => ({ action: 'double_click', target: target() }),
    hover: () => ({ action: 'hover', target: target() }),
    type: () => ({ action: 'type', target: target(), text: text(20_000) }),
    press: () => ({ action: 'press', key: word(50), target: maybe(target) }),
    select: () => ({ action: 'select', target: target(), option: text(500) }),
    check: () => ({ action: 'check', target: target(), checked: chance(0.5) }),
    upload: () => ({ action: 'upload', target: target(), file: chance(0.5) ? 'report.csv' : text(500, 1) }),
    scroll: () => ({ action: 'scroll', target: maybe(target), delta_x: maybe(pixels), delta_y: maybe(pixels) }),
    drag: () => ({ action: 'drag', from: target(), to: target() }),
    wait: () => ({
      action: 'wait',
      for: pick([sight, () => ({ idle: true as const }), () => ({ secs: seconds() })])(),
      timeout_secs: maybe(() => 1 + below(600)),
    }),
    extract: () => ({
      action: 'extract',
      kind: pick(['text', 'table', 'attributes'] as const),
      target: maybe(target),
      as: word(100),
    }),
    screenshot: () => ({ action: 'screenshot' }),
    new_page: () => ({ action: 'new_page', url: maybe(url) }),
    close_page: () => ({ action: 'close_page', page: maybe(() => word(200)) }),
    focus_page: () => ({ action: 'focus_page', page: word(200) }),
    answer_dialog: () => ({ action: 'answer_dialog', accept: chance(0.5), text: maybe(() => text(2000)) }),
    download: () => ({ action: 'download', target: target() }),
    ask: () => ({ action: 'ask', question: text(2000, 1), until: maybe(sight) }),
  };

  const step = (): Step => ({
    ...pick(Object.values(makers))(),
    title: maybe(() => text(200, 1)),
    irreversible: maybe(() => chance(0.7)),
  });

  return {
    below,
    chance,
    pick,
    text,
    /** Fields that were left out are not there, as in what the contract has read. */
    steps: (count: number): Step[] => Array.from({ length: count }, () => dropUndefined(step())),
  };
}

function dropUndefined<T extends object>(value: T): T {
  // Only optional fields can be undefined, so what is left is still one.
  return Object.fromEntries(Object.entries(value).filter(([, said]) => said !== undefined)) as T;
}
