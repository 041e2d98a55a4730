// Targets and conditions in a script.

import { Target } from '../tasks/step.ts';
import { nearestOf } from './nearest.ts';
import type { Value } from './part.ts';
import { bare, quoted, soleEntry } from './part.ts';
import { quote, quoteIfNeeded } from './quote.ts';
import type { Reader } from './reader.ts';

/** ARIA roles that have a word of their own; others are written as `role "…" "…"`. */
const roles = new Set(
  `alert alertdialog article banner blockquote button caption cell checkbox code columnheader combobox complementary
  contentinfo definition dialog document feed figure form grid gridcell group heading img insertion link list listbox
  listitem log main mark marquee math menu menubar menuitem menuitemcheckbox menuitemradio meter navigation note option
  paragraph progressbar radio radiogroup region row rowgroup rowheader scrollbar search searchbox separator slider
  spinbutton status strong switch tab table tablist tabpanel term textbox time timer toolbar tooltip tree treegrid
  treeitem`.split(/\s+/),
);

/** Other words for some roles. */
const otherNames = new Map([
  ['field', 'textbox'],
  ['dropdown', 'combobox'],
  ['image', 'img'],
]);

function roleOf(word: string | undefined): string | undefined {
  if (word === undefined) return undefined;
  return roles.has(word) ? word : otherNames.get(word);
}

/** Targets that are written as a word and a text. */
const ways: Record<string, 'text' | 'label' | 'css' | 'name'> = {
  text: 'text',
  label: 'label',
  css: 'css',
  named: 'name',
};
const mark = bare('e12');
const what = 'a name in quotes, such as "Sign in" or button "Sign in"';

export const target: Value = {
  shape: '"…"',
  words: ['the', ...roles, ...otherNames.keys(), ...Object.keys(ways), 'ref', 'role', 'in', 'frame'],
  isNext(reader) {
    const word = reader.word();
    return (
      quoted.isNext(reader) || (word !== undefined && (word === 'the' || isWay(word) || roleOf(word) !== undefined))
    );
  },
  read(reader) {
    const said = readElement(reader);
    const place = readPlace(reader);
    if (Object.keys(place).length === 0) return said;
    return typeof said === 'string' ? { name: said, ...place } : { ...said, ...place };
  },
  write(value) {
    const { success, data } = Target.safeParse(value);
    if (!success) return undefined;
    if (typeof data === 'string') return quote(data);
    const { frame, within, ...element } = { within: undefined, ...data };
    const place = [
      within === undefined ? [] : `in ${quote(within)}`,
      frame === undefined ? [] : `in frame ${quote(frame)}`,
    ];
    if (place.flat().length === 0) return writeElement(element);
    // A bare name in a part of the page has no other form than this one.
    const isBareName = 'name' in element && element.role === undefined;
    return [isBareName ? quote(element.name) : writeElement(element), ...place.flat()].join(' ');
  },
};

type Element = Exclude<Target, string>;
type Place = { within?: string; frame?: string };

function readElement(reader: Reader): string | Record<string, unknown> {
  if (reader.word() === 'the') reader.skip();
  const word = reader.word();
  if (word === undefined) return readNamed(reader);
  const way = ways[word];
  const role = roleOf(word);
  if (!isWay(word) && !role) {
    const near = nearestOf(word, [...roles, ...otherNames.keys(), ...Object.keys(ways)]);
    throw reader.expected(what, near && `${near} "…"`);
  }
  reader.skip();
  if (word === 'ref') return { ref: mark.read(reader) };
  if (word === 'role') return { role: quoted.read(reader), name: quoted.read(reader) };
  return role ? { role, name: quoted.read(reader) } : { [way ?? '']: quoted.read(reader) };
}

function writeElement(element: Element): string {
  if ('ref' in element) return `ref ${quoteIfNeeded(element.ref)}`;
  if ('text' in element) return `text ${quote(element.text)}`;
  if ('label' in element) return `label ${quote(element.label)}`;
  if ('css' in element) return `css ${quote(element.css)}`;
  if (element.role === undefined) return `named ${quote(element.name)}`;
  return `${roles.has(element.role) ? element.role : `role ${quote(element.role)}`} ${quote(element.name)}`;
}

/** `in "…"`, if other words tell which one is meant, and `in frame "…"`, if the element is in a named frame. */
function readPlace(reader: Reader): Place {
  const place: Place = {};
  while (reader.word() === 'in') {
    const skipped = reader.word(1) === 'the' ? 2 : 1;
    const isFrame = reader.word(skipped) === 'frame';
    if (isFrame ? place.frame !== undefined : place.within !== undefined || reader.peek(1)?.kind !== 'quoted') break;
    reader.skip(isFrame ? skipped + 1 : 1);
    place[isFrame ? 'frame' : 'within'] = String(quoted.read(reader));
  }
  return place;
}

function isWay(word: string): boolean {
  return word === 'ref' || word === 'role' || Object.hasOwn(ways, word);
}

/** `"Sign in"`, or `"Sign in" button`. */
function readNamed(reader: Reader): string | { role: string; name: string } {
  if (!quoted.isNext(reader)) throw reader.expected(what);
  const name = String(quoted.read(reader));
  const role = roleOf(reader.word());
  if (!role) return name;
  reader.skip();
  return { role, name };
}

type Sight = 'text' | 'selector' | 'url';
const introductions: Record<Sight, string> = { text: '', selector: 'css ', url: 'url contains ' };
const sightWords: Record<Sight, string[]> = { text: ['text'], selector: ['css'], url: ['url', 'contains'] };

/** A condition of the page: a text, an element, or the address. */
export function sight(...seen: [Sight, ...Sight[]]): Value {
  const can = (one: Sight) => seen.includes(one);
  return {
    shape: seen[0] === 'url' ? 'url contains "…"' : '"…"',
    words: seen.flatMap((one) => sightWords[one]),
    isNext: () => true,
    read(reader) {
      const word = reader.word();
      if (can('text') && (word === 'text' || quoted.isNext(reader))) {
        if (word === 'text') reader.skip();
        return { text: quoted.read(reader) };
      }
      if (can('selector') && word === 'css') {
        reader.skip();
        return { selector: quoted.read(reader) };
      }
      if (can('url') && word === 'url') {
        reader.skip(reader.word(1) === 'contains' ? 2 : 1);
        return { url: quoted.read(reader) };
      }
      throw reader.expected('a condition, such as "Welcome", css "#done" or url contains "/home"');
    },
    write(value) {
      const [name, said] = soleEntry(value);
      const one = seen.find((sight) => sight === name);
      return one && typeof said === 'string' ? `${introductions[one]}${quote(said)}` : undefined;
    },
  };
}
