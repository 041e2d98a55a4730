// What on the page can be acted on, in the order it is read. One long function, because its text is sent.

import type { Marks } from './element/marks.ts';
import type { Names } from './element/names.ts';
import type { Roles } from './element/roles.ts';
import type { Dom } from './element/safe-dom.ts';
import type { Rect, Sight } from './element/visibility.ts';
import type { Reader } from './text.ts';

export type Outline = ReturnType<typeof createOutline>;

export type Item = {
  mark: number;
  role: string;
  name: string;
  value?: string;
  states: string[];
  box: Rect;
};
/** A number stands for the frame of that place in the list that was given. */
export type Items = (Item | number)[];

type Parts = { dom: Dom; roles: Roles; names: Names; sight: Sight; marks: Marks; reader: Reader };

export function createOutline({ dom, roles, names, sight, marks, reader }: Parts) {
  const maxItems = 5000;
  const maxChars = 200;
  const usable = new Set(
    (
      'button checkbox combobox link listbox menuitem menuitemcheckbox menuitemradio option radio scrollbar searchbox ' +
      'slider spinbutton switch tab textbox treeitem'
    ).split(' '),
  );
  const short = (text: string) => (text.length > maxChars ? `${text.slice(0, maxChars - 1)}…` : text);

  function list(...frames: Element[]): Items {
    const items: Items = [];
    const root = dom.root();
    if (root) visit(root, { items, frames, clickables: new Set(), holders: new Map(), isInside: false }, 0);
    return items;
  }

  type Way = {
    items: Items;
    frames: Element[];
    clickables: Set<Element>;
    /** Whether an element holds something to act on, as far as it was asked. */
    holders: Map<Element, boolean>;
    isInside: boolean;
  };

  function visit(element: Element, way: Way, depth: number): void {
    const { items, frames } = way;
    if (items.length >= maxItems || depth > dom.maxDepth || isShut(element)) return;
    const frame = frames.indexOf(element);
    if (frame >= 0) return void items.push(frame);
    const role = roles.role(element);
    const isUsable = usable.has(role) || (roles.isFocusable(element) && isTabbable(element));
    if (isUsable || role === 'heading') items.push(...itemOf(element, role || 'generic'));
    const isInside = way.isInside || isUsable;
    let hasWords = false;
    dom.eachChild(element, (child) => {
      if (dom.isElement(child)) visit(child, isInside === way.isInside ? way : { ...way, isInside }, depth + 1);
      else hasWords ||= dom.isText(child) && dom.textOf(child).trim() !== '';
    });
    if (hasWords && !isInside) items.push(...clickableAt(element, way));
  }

  const isPointed = (element: Element) => getComputedStyle(element).cursor === 'pointer';

  /** What only its styles show to be clickable: as much around the words as looks so and holds nothing else to act on. */
  function clickableAt(words: Element, { clickables, holders }: Way): Item[] {
    if (!isPointed(words)) return [];
    let element = words;
    for (let up = dom.parent(element); up && isPointed(up) && !holdsUsable(up, holders); up = dom.parent(up))
      element = up;
    if (clickables.has(element) || holdsUsable(element, holders) || isLabel(element)) return [];
    clickables.add(element);
    const name = short(names.tidy(reader.read(element, 500)));
    return itemOf(element, 'clickable').map((item) => ({ ...item, name }));
  }

  function holdsUsable(element: Element, known: Map<Element, boolean>): boolean {
    const before = known.get(element);
    if (before !== undefined) return before;
    const holds = dom.all(element).some((one) => one !== element && roles.isFocusable(one));
    known.set(element, holds);
    return holds;
  }

  /** Nothing in it can be seen, or it is taken out of use. */
  function isShut(element: Element): boolean {
    if (dom.attribute(element, 'aria-hidden') === 'true' || dom.attribute(element, 'inert') !== null) return true;
    if (names.isMute(dom.tag(element)) && dom.tag(element) !== 'iframe') return true;
    if (sight.mayShow(element)) return sight.isFolded(element);
    // A box drawn by styles often lies under the real one, which then is see-through.
    return !['checkbox', 'radio', 'file'].includes(roles.typeOf(element)) || !sight.isShown(element);
  }

  const isTabbable = (element: Element) => {
    const index = dom.attribute(element, 'tabindex');
    return index === null || Number(index) >= 0;
  };

  const isLabel = (element: Element) => element instanceof HTMLLabelElement && element.control !== null;

  /** Empty where it cannot be seen. */
  function itemOf(element: Element, role: string): Item[] {
    const box = sight.boxInReach(element);
    if (!box) return [];
    const value = contentOf(element);
    const item = { mark: marks.mark(element), role, name: short(names.name(element)), states: statesOf(element) };
    return [value === undefined ? { ...item, box } : { ...item, value: short(value), box }];
  }

  function contentOf(element: Element): string | undefined {
    const value = reader.held(element);
    if (value !== undefined) return value;
    const now = dom.attribute(element, 'aria-valuetext') ?? dom.attribute(element, 'aria-valuenow');
    if (now !== null) return now;
    return roles.isEditingHost(element) ? names.tidy(reader.read(element, 500)) : undefined;
  }

  function statesOf(element: Element): string[] {
    const states: string[] = [];
    const is = (name: string) => dom.attribute(element, `aria-${name}`);
    const add = (state: string, isSo: boolean) => isSo && states.push(state);
    const isBox = element instanceof HTMLInputElement && (element.type === 'checkbox' || element.type === 'radio');
    const isMixed = is('checked') === 'mixed' || (isBox && element.indeterminate);
    add('mixed', isMixed);
    add('checked', !isMixed && (isBox ? element.checked : is('checked') === 'true'));
    add('pressed', is('pressed') === 'true');
    add('selected', is('selected') === 'true');
    add('current', is('current') !== null && is('current') !== 'false');
    const details = dom.tag(element) === 'summary' ? dom.parent(element) : null;
    const isOpen = details instanceof HTMLDetailsElement ? String(details.open) : is('expanded');
    add('expanded', isOpen === 'true');
    add('collapsed', isOpen === 'false');
    add('disabled', roles.isDisabled(element));
    const field = reader.isControl(element) ? element : undefined;
    add('required', is('required') === 'true' || field?.required === true);
    add('readonly', is('readonly') === 'true' || (field !== undefined && 'readOnly' in field && field.readOnly));
    add('invalid', is('invalid') !== null && is('invalid') !== 'false');
    add('focused', isFocused(element));
    return states;
  }

  function isFocused(element: Element): boolean {
    let active = document.activeElement;
    while (active && dom.shadowRoot(active)?.activeElement) active = dom.shadowRoot(active)?.activeElement ?? null;
    return active === element && element !== document.body;
  }

  return { list, contentOf, statesOf, isTabbable, isUsable: (role: string) => usable.has(role) };
}
