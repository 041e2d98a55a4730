// What a model reads of one handle, and what policy is told of it. One long function, because its text is sent. Never gives
// away what a field for secrets holds.

import type { Marks } from './element/marks.ts';
import type { Names } from './element/names.ts';
import type { Roles } from './element/roles.ts';
import type { Dom } from './element/safe-dom.ts';
import type { Secrets } from './element/secrets.ts';
import type { Rect } from './element/visibility.ts';
import type { Outline } from './outline.ts';
import type { Reader } from './text.ts';

export type ViewItems = ReturnType<typeof createViewItems>;

export type Identity = Pick<ViewItem, 'role' | 'name' | 'form'>;

export type ViewItem = {
  mark: number;
  role: string;
  name: string;
  /** What the text says of it: kind, name, and all after it. */
  kind: string;
  label: string;
  tail: string;
  tag: string;
  type: string | null;
  /** The address of a link. */
  href: string | null;
  form: { action: string; method: string } | null;
  submits: boolean;
  secret: boolean;
  download: boolean;
  box: Rect;
};

type Parts = {
  dom: Dom;
  roles: Roles;
  names: Names;
  secrets: Secrets;
  marks: Marks;
  reader: Reader;
  outline: Outline;
};

export function createViewItems({ dom, roles, names, secrets, marks, reader, outline }: Parts) {
  const maxNameChars = 160;
  const maxValueChars = 200;
  const maxOptionChars = 100;
  /** A select with at most this many options shows all of them; a longer one shows its first few. */
  const fullOptions = 8;
  const firstOptions = 3;
  const byRole: Record<string, string> = {
    link: '',
    textbox: 'field',
    searchbox: 'search',
    spinbutton: 'number',
    listbox: 'list',
    menuitemcheckbox: 'menuitem',
    menuitemradio: 'menuitem',
  };
  const byType = new Set('date time datetime-local month week color email tel url password file'.split(' '));
  const getter = (prototype: object, name: string) => Object.getOwnPropertyDescriptor(prototype, name)?.get;
  // A form may have a field of this name in place of the property.
  const actionOf = getter(HTMLFormElement.prototype, 'action');
  const methodOf = getter(HTMLFormElement.prototype, 'method');

  const short = (text: string, most: number) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

  function kindOf(element: Element, role: string): string {
    const type = roles.typeOf(element);
    if (byType.has(type)) return type;
    if (element instanceof HTMLSelectElement) return element.multiple ? 'list' : 'select';
    return Object.hasOwn(byRole, role) ? (byRole[role] ?? '') : role;
  }

  /** `A|B|C|+190`. */
  function optionsOf(element: Element): string {
    const list = element instanceof HTMLInputElement ? element.list : element;
    if (!(list instanceof HTMLSelectElement) && !(list instanceof HTMLDataListElement)) return '';
    const all = [...list.options]
      .filter(({ disabled }) => !disabled)
      .map((option) => names.tidy(option.label || option.value))
      .filter(Boolean);
    const some: string[] = [];
    let left = maxOptionChars;
    const most = all.length > fullOptions ? firstOptions : fullOptions;
    for (const option of all) {
      left -= option.length + 1;
      if (some.length > 0 && (left < 0 || some.length >= most)) break;
      some.push(short(option, 60));
    }
    const more = all.length - some.length;
    return some.length === 0 ? '' : ` of ${some.join('|')}${more > 0 ? `|+${more}` : ''}`;
  }

  function limitsOf(element: Element): string {
    if (!(element instanceof HTMLInputElement)) return '';
    return ['min', 'max', 'pattern', 'accept']
      .map((one) => [one, dom.attribute(element, one) ?? ''])
      .filter(([, value]) => value)
      .map(([one, value]) => ` ${one} ${short(value ?? '', 60)}`)
      .join('');
  }

  function valueTold(element: Element, isSecret: boolean, name: string): string {
    const value = outline.contentOf(element);
    if (value === undefined || (value === '' && roles.typeOf(element) === 'file')) return '';
    const placeholder = names.placeholder(element);
    if (value === '' && placeholder && placeholder !== name)
      return ` placeholder ${JSON.stringify(short(placeholder, 80))}`;
    if (value === '' && element instanceof HTMLSelectElement) return '';
    // Masked already; whatever its length was, the same dots stand for it.
    return ` = ${JSON.stringify(isSecret && value !== '' ? secrets.mask : short(value, maxValueChars))}`;
  }

  function statesOf(element: Element): string {
    const states = outline.statesOf(element);
    if (reader.isControl(element) && !states.includes('invalid') && dom.matches(element, ':user-invalid'))
      states.push('invalid');
    return states.map((state) => ` ${state}`).join('');
  }

  function formOf(element: Element): HTMLFormElement | null {
    if (reader.isControl(element) || element instanceof HTMLButtonElement) return element.form;
    const around = dom.closest(element, 'form');
    return around instanceof HTMLFormElement ? around : null;
  }

  function formFacts(element: Element): ViewItem['form'] {
    const form = formOf(element);
    if (!form || !actionOf || !methodOf) return null;
    const own = (name: string) => (submits(element) ? dom.attribute(element, name) : null);
    const address = own('formaction');
    const action = address === null ? String(Reflect.apply(actionOf, form, [])) : absolute(address);
    return { action, method: (own('formmethod') ?? String(Reflect.apply(methodOf, form, []))).toLowerCase() };
  }

  const absolute = (address: string): string => URL.parse(address, document.baseURI)?.href ?? '';

  function submits(element: Element): boolean {
    if (formOf(element) === null) return false;
    if (element instanceof HTMLButtonElement) return element.type === 'submit';
    return element instanceof HTMLInputElement && (element.type === 'submit' || element.type === 'image');
  }

  /** `told` is what is described in place of the element: the control that a label stands for. */
  function item(element: Element, role: string, box: Rect, told: Element = element): ViewItem {
    const name = short(names.name(told), maxNameChars);
    const isField = reader.isControl(told);
    const isSecret = isField && secrets.isSecret(told);
    const isLink = told instanceof HTMLAnchorElement || told instanceof HTMLAreaElement;
    const tail = valueTold(told, isSecret, name) + (isSecret ? '' : optionsOf(told)) + limitsOf(told) + statesOf(told);
    const hasType = told instanceof HTMLInputElement || told instanceof HTMLButtonElement;
    return {
      mark: marks.mark(element),
      role,
      name,
      kind: kindOf(told, role),
      label: name,
      tail,
      tag: dom.tag(element),
      type: hasType ? told.type : null,
      href: isLink && dom.attribute(told, 'href') !== null ? told.href : null,
      form: formFacts(told),
      submits: submits(told),
      secret: isSecret,
      download: isLink && dom.attribute(told, 'download') !== null,
      box,
    };
  }

  /** The same as in an item: a label stands for its control, and what has no name for its words. */
  function identity(element: Element): Identity {
    const told = element instanceof HTMLLabelElement ? (element.control ?? element) : element;
    const role = roles.role(told);
    const name = names.name(told) || (isNamed(told, role) ? '' : names.tidy(reader.read(told, 600)));
    return { role, name: short(name, maxNameChars), form: formFacts(told) };
  }

  /** Whether what it is called is its name, and not the words in it. */
  const isNamed = (element: Element, role: string): boolean => outline.isUsable(role) || reader.isControl(element);

  return { item, identity, isNamed, formOf, formFacts, submits, maxNameChars, short };
}
