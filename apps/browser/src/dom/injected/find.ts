// From what a person would call it to the elements that may be meant. One long function, because its text is sent.

import type { Areas } from './area.ts';
import type { Names } from './element/names.ts';
import type { Roles } from './element/roles.ts';
import type { Dom } from './element/safe-dom.ts';
import type { Standing } from './element/standing.ts';
import type { Sight } from './element/visibility.ts';

export type Finder = ReturnType<typeof createFinder>;

/** What the element is wanted for: a word may name a field and a button. */
export type Purpose = 'press' | 'fill' | 'select' | 'check' | 'upload' | 'any';

export type Query = {
  /** `name` without a role is looked for in every way a person may call an element. */
  by: 'name' | 'text' | 'label' | 'css';
  what: string;
  role: string | undefined;
  /** Words of the row, card or section that it is in. */
  within: string | undefined;
  purpose: Purpose;
  /** Whether a part of a name is enough. */
  mayBePart: boolean;
};

/** The elements that fit best, and how well: a smaller level is a better fit. */
export type Matches = { level: number; elements: Element[] };

type Parts = { dom: Dom; roles: Roles; names: Names; sight: Sight; standing: Standing; areas: Areas };

export function createFinder({ dom, roles, names, sight, standing, areas }: Parts) {
  const set = (text: string) => new Set(text.split(' '));
  const pressable = set('button link menuitem menuitemcheckbox menuitemradio tab option');
  const checkable = set('checkbox radio switch menuitemcheckbox menuitemradio');
  const fillable = set('textbox searchbox combobox spinbutton');
  const selectable = set('combobox listbox');
  const usable = set('checkbox radio switch textbox searchbox combobox spinbutton listbox treeitem slider gridcell');
  /** Not named by the words in them, which are found as such. */
  const pictured = set('img figure meter progressbar');
  const actionable =
    'a[href], button, input, select, textarea, summary, [role=button], [role=link], [role=tab], [role=menuitem], [role=option]';
  /** To the letter, ignoring case, or as a part of a longer one. */
  const closenesses = ['exact', 'whole', 'part'] as const;
  type Closeness = (typeof closenesses)[number];
  type Step = (fits: (text: string) => boolean, closeness: Closeness) => Element[];

  function find(query: Query): Matches | undefined {
    const { purpose, mayBePart, within } = query;
    const anchors = within === undefined ? undefined : anchorsOf(within, mayBePart);
    /** The closest words that have any of them near. */
    const placed = (elements: Element[]): Element[] => {
      if (!anchors) return elements;
      for (const some of anchors) {
        const there = areas.inAreas(elements, some);
        if (there.length > 0) return there;
      }
      return [];
    };
    const seenOf = memo((element) => inSight(element, purpose));
    const seen = (elements: Element[]) => [...new Set(elements.flatMap(seenOf))];
    if (query.by === 'css') {
      const elements = placed(seen(dom.select(query.what)));
      return elements.length > 0 ? { level: 0, elements } : undefined;
    }
    const steps = stepsOf(query);
    const wanted = names.tidy(query.what);
    const isOtherwise = memo((element) => isPressed(purpose) && saysOtherwise(element, wanted));
    /** Those whose words say something else than their name: taken only where no others fit at all. */
    let otherwise: Matches | undefined;
    for (const [rank, closeness] of closenesses.entries()) {
      if (closeness === 'part' && !mayBePart) break;
      const fits = comparison(wanted, closeness);
      for (const [index, step] of steps.entries()) {
        const all = seen(step(fits, closeness));
        const elements = placed(oneOfNested(all.filter((element) => !isOtherwise(element))));
        const level = rank * steps.length + index;
        if (elements.length > 0) return { level, elements };
        const others = otherwise ? [] : placed(oneOfNested(all));
        if (others.length > 0) otherwise = { level: level + closenesses.length * steps.length, elements: others };
      }
    }
    return mayBePart ? otherwise : undefined;
  }

  /** What says the words, or is called so: to the letter, ignoring case, then as a part. */
  function anchorsOf(words: string, mayBePart: boolean): Element[][] {
    const wanted = names.tidy(words);
    const texts = byText(wanted);
    const named = dom.select('[aria-label], [aria-labelledby], [alt], fieldset, table, figure');
    return closenesses.flatMap((closeness) => {
      if (closeness === 'part' && !mayBePart) return [];
      const fits = comparison(wanted, closeness);
      const all = [...texts[closeness], ...named.filter((element) => fits(names.name(element)))];
      return [[...new Set(all)].filter(sight.isVisible)];
    });
  }

  const isPressed = (purpose: Purpose): boolean => purpose === 'press' || purpose === 'any';

  /**
   * What a person sees of the element: itself, what stands for it, or nothing. Fields for files are mostly hidden behind
   * something nicer, and need not be touched.
   */
  function inSight(element: Element, purpose: Purpose): Element[] {
    if (purpose === 'upload' && roles.typeOf(element) === 'file') return [element];
    const unseen = sight.unseen(element);
    if (unseen === undefined) return [element];
    const stand = standing.standsFor(element, unseen);
    return stand ? [stand] : [];
  }

  const isThere = (element: Element, purpose: Purpose): boolean => inSight(element, purpose).includes(element);

  /** Whether the words a person reads on it are not those by which it was found, nor a part of its name. */
  function saysOtherwise(element: Element, wanted: string): boolean {
    if (!pressable.has(roles.role(element))) return false;
    const words = names.tidy(wordsOn(element)).toLowerCase();
    // Signs and icons say nothing.
    if (!/\p{L}{2}/u.test(words) || words.includes(wanted.toLowerCase())) return false;
    return !names.name(element).toLowerCase().includes(words);
  }

  /** As they are drawn, whatever the page tells those who cannot see. */
  function wordsOn(element: Element, depth = 0): string {
    if (element instanceof HTMLInputElement) return element.value;
    let words = '';
    dom.eachChild(element, (child) => {
      if (dom.isText(child)) words += dom.textOf(child);
      else if (dom.isElement(child) && depth < 20 && !names.isMute(dom.tag(child)) && sight.isVisible(child)) {
        const inner = wordsOn(child, depth + 1);
        words += names.isInline(dom.tag(child)) ? inner : ` ${inner} `;
      }
    });
    return words;
  }

  function comparison(wanted: string, closeness: Closeness): (text: string) => boolean {
    if (closeness === 'exact') return (text) => text === wanted;
    const small = wanted.toLowerCase();
    if (closeness === 'whole') return (text) => text.length <= wanted.length * 3 && text.toLowerCase() === small;
    return (text) => text.toLowerCase().includes(small);
  }

  /** Remembers what was asked of each element: every degree of closeness asks again. */
  function memo<T>(ask: (element: Element) => T): (element: Element) => T {
    const known = new Map<Element, T>();
    return (element) => {
      const before = known.get(element);
      if (before !== undefined) return before;
      const answer = ask(element);
      known.set(element, answer);
      return answer;
    };
  }

  function stepsOf({ by, role, purpose, what }: Query): Step[] {
    const elements = dom.all();
    const nameOf = memo(names.name);
    const labelOf = memo(names.label);
    const roleOf = memo(roles.role);
    const withRole = (isWanted: (role: string) => boolean): Step => {
      const some = elements.filter((element) => isWanted(roleOf(element)));
      return (fits) => some.filter((element) => fits(nameOf(element)) && !roles.isSetAside(element));
    };
    const ofRoles = (wanted: Set<string>) => withRole((one) => wanted.has(one));
    const suits = (element: Element) => isFor(element, purpose);

    const files: Step = (fits) => elements.filter((one) => roles.typeOf(one) === 'file' && fits(nameOf(one)));
    const label: Step = (fits) => elements.filter((one) => suits(one) && fits(labelOf(one)));
    const typed: Step = (fits) => elements.filter((one) => isFor(one, 'fill') && fits(labelOf(one)));
    const placeholder: Step = (fits) =>
      elements.filter(
        (one) => (suits(one) || (purpose === 'select' && isFor(one, 'fill'))) && fits(names.placeholder(one)),
      );
    let texts: Record<Closeness, Element[]> | undefined;
    const text: Step = (_, closeness) => {
      texts ??= byText(names.tidy(what));
      return texts[closeness].flatMap((element) => meantBy(element, purpose));
    };

    if (by === 'text') return [text];
    if (by === 'label') return [label];
    if (role !== undefined) return [withRole((one) => one === role)];
    if (purpose === 'fill') return [ofRoles(fillable), label, placeholder, text];
    // A field that suggests what to choose may say so nowhere.
    if (purpose === 'select') return [ofRoles(selectable), label, ofRoles(fillable), typed, placeholder, text];
    if (purpose === 'check') return [ofRoles(checkable), label, text];
    if (purpose === 'upload') return [files, label, ofRoles(pressable), text];
    return [ofRoles(pressable), ofRoles(usable), text, label, placeholder, ofRoles(pictured)];
  }

  function isFor(element: Element, purpose: Purpose): boolean {
    if (isPressed(purpose)) return true;
    if (purpose === 'upload') return roles.typeOf(element) === 'file';
    const role = roles.role(element);
    if (purpose === 'check') return checkable.has(role);
    if (purpose === 'select') return selectable.has(role);
    return (fillable.has(role) || role === 'slider') && !(element instanceof HTMLSelectElement);
  }

  /** Words beside a field are not the field, unless they are its label. */
  function meantBy(element: Element, purpose: Purpose): Element[] {
    if (isPressed(purpose) || isFor(element, purpose)) return [element];
    const label = dom.closest(element, 'label');
    const control = label instanceof HTMLLabelElement ? label.control : null;
    if (!label || !control || !isFor(control, purpose)) {
      const host = dom.closest(element, '[contenteditable], [role]');
      return host && isFor(host, purpose) ? [host] : purpose === 'upload' ? [element] : [];
    }
    // A box drawn by styles stands for the hidden one: a click on its label does the same.
    return isThere(control, purpose) ? [control] : [label];
  }

  /** Elements that say it and have nothing inside that says it too. One way down, for all degrees of closeness. */
  function byText(wanted: string): Record<Closeness, Element[]> {
    const found: Record<Closeness, Element[]> = { exact: [], whole: [], part: [] };
    const tests = closenesses.map((closeness) => ({ closeness, fits: comparison(wanted, closeness) }));
    // One bit for each degree: whether something inside says it so.
    const allSaid = 2 ** closenesses.length - 1;
    const note = (element: Element, text: string, below: number): number => {
      let said = below;
      const tidied = names.tidy(text);
      for (const [index, { closeness, fits }] of tests.entries()) {
        if ((said & (1 << index)) !== 0 || !fits(tidied)) continue;
        found[closeness].push(element);
        said |= 1 << index;
      }
      return said;
    };
    const visit = (element: Element, depth: number): { text: string; said: number } => {
      const tag = dom.tag(element);
      if (depth > dom.maxDepth || names.isMute(tag) || !sight.mayShow(element)) return { text: '', said: 0 };
      if (element instanceof HTMLInputElement) {
        const text = ['button', 'submit', 'reset'].includes(element.type) ? element.value : '';
        return { text: '', said: text ? note(element, text, 0) : 0 };
      }
      if (tag === 'select' || tag === 'textarea') return { text: ' ', said: 0 };
      let isShown: boolean | undefined;
      let text = '';
      let said = 0;
      dom.eachChild(element, (child) => {
        if (dom.isElement(child)) {
          const below = visit(child, depth + 1);
          text += names.isInline(dom.tag(child)) ? below.text : ` ${below.text} `;
          said |= below.said;
        } else if (dom.isText(child)) {
          isShown ??= sight.isShown(element);
          if (isShown) text += dom.textOf(child);
        }
      });
      return { text, said: said === allSaid ? said : note(element, text, said) };
    };
    const root = dom.root();
    if (root) visit(root, 0);
    return found;
  }

  /** Of matches inside each other, the innermost; of several inside one thing to press, the first. */
  function oneOfNested(elements: Element[]): Element[] {
    const unique = [...new Set(elements)];
    if (unique.length < 2) return unique;
    const around = new Set<Element>();
    for (const element of unique) {
      for (let up = dom.parent(element); up; up = dom.parent(up)) around.add(up);
    }
    const pressed = new Set<Element>();
    return unique.filter((element) => {
      if (around.has(element)) return false;
      const target = dom.closest(element, actionable) ?? element;
      if (pressed.has(target)) return false;
      pressed.add(target);
      return true;
    });
  }

  /** Whether a person sees these words, or something the selector fits. */
  function sees(sightOf: { text: string } | { selector: string }): boolean {
    if ('selector' in sightOf) return dom.select(sightOf.selector).some(sight.isVisible);
    return byText(names.tidy(sightOf.text)).part.some(sight.isVisible);
  }

  /** Whether any part of the page has these words to be named by. */
  const showsPart = (words: string): boolean => anchorsOf(words, true).some((anchors) => anchors.length > 0);

  return { find, sees, showsPart };
}
