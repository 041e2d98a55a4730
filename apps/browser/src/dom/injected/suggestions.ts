// What a field offers to choose from while it is used: its list, or what came to be seen since. One long function, because
// its text is sent.

import type { Marks } from './element/marks.ts';
import type { Names } from './element/names.ts';
import type { Roles } from './element/roles.ts';
import type { Dom } from './element/safe-dom.ts';
import type { Sight } from './element/visibility.ts';

export type Suggester = ReturnType<typeof createSuggester>;

/**
 * `mark` is null for an option of a `datalist`, which the browser draws. `look` changes where the page marks an option.
 * `active`: the place of the one that Enter takes, where the page tells it.
 */
export type Suggestions = {
  options: { mark: number | null; text: string; value: string | null; look: string }[];
  active: number | null;
  /** What the field holds; null where it is no text field. */
  value: string | null;
  isFocused: boolean;
};

type Parts = { dom: Dom; roles: Roles; names: Names; sight: Sight; marks: Marks };

export function createSuggester({ dom, roles, names, sight, marks }: Parts) {
  const choosable = new Set('option menuitem menuitemradio menuitemcheckbox treeitem'.split(' '));
  const maxOptions = 500;
  const maxChars = 200;
  /** Items that were seen before the field was used are no answer to what is typed. */
  let known = new Set<Element>();

  const fieldOf = (element: Element): Element =>
    element instanceof HTMLLabelElement ? (element.control ?? element) : element;
  const isOption = (element: Element) =>
    choosable.has(roles.role(element)) && !(element instanceof HTMLOptionElement) && !roles.isDisabled(element);

  const isItem = (element: Element) => !roles.isDisabled(element) && sight.isVisible(element);

  /** Call it before the field is used. */
  function begin(): void {
    known = new Set(dom.select('li').filter(sight.isVisible));
  }

  function list(element: Element): Suggestions {
    const field = fieldOf(element);
    const isText = field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement;
    const isEdited = field instanceof HTMLElement && field.isContentEditable;
    const value = isText ? field.value : isEdited ? dom.textOf(field) : null;
    const isFocused = field.matches(':focus, :focus-within');
    const native = field instanceof HTMLInputElement ? field.list : null;
    if (native instanceof HTMLDataListElement) {
      const options = [...native.options].filter((one) => !one.disabled).slice(0, maxOptions);
      const told = options.map(({ label, value: own }) => ({
        mark: null,
        text: names.tidy(label || own),
        value: own,
        look: '',
      }));
      return { options: told, active: null, value, isFocused };
    }
    const options = optionsOf(field).slice(0, maxOptions);
    const told = options.map((one) => ({ mark: marks.mark(one), text: textOf(one), value: null, look: lookOf(one) }));
    return { options: told, active: activeOf(field, options), value, isFocused };
  }

  const textOf = (option: Element) => (names.name(option) || names.tidy(dom.textOf(option))).slice(0, maxChars);

  const lookOf = (option: Element) => ['class', 'style'].map((name) => dom.attribute(option, name) ?? '').join(' ');

  function optionsOf(field: Element): Element[] {
    const lists = listsOf(field).filter((one) => one !== field || dom.all(one).some(isOption));
    for (const one of lists) {
      const inside = dom.all(one).filter((element) => element !== one);
      const told = inside.filter((element) => isOption(element) && sight.isVisible(element));
      if (told.length > 0) return told;
      const items = inside.filter((element) => dom.tag(element) === 'li' && isItem(element));
      if (items.length > 0) return items;
    }
    const all = dom.all().filter((element) => isOption(element) && sight.isVisible(element));
    if (all.length > 0) return all;
    return dom.select('li').filter((item) => !known.has(item) && isItem(item));
  }

  /** Those that the field says are its own, or that it is. */
  function listsOf(field: Element): Element[] {
    const ids = ['aria-controls', 'aria-owns'].flatMap((name) => dom.attribute(field, name)?.split(/\s+/) ?? []);
    return [...ids.flatMap((id) => (id && dom.elementById(field, id)) || []), field];
  }

  function activeOf(field: Element, options: Element[]): number | null {
    const id = dom.attribute(field, 'aria-activedescendant');
    const told = id ? dom.elementById(field, id) : null;
    const at = (index: number) => (index >= 0 ? index : null);
    if (told) return at(options.findIndex((one) => one === told || dom.isWithin(told, one)));
    const selected = options.filter((one) => dom.attribute(one, 'aria-selected') === 'true');
    return selected.length === 1 ? at(options.indexOf(selected[0] as Element)) : null;
  }

  return { begin, list };
}
