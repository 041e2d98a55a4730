// What an element is to its user.

import type { Dom } from './safe-dom.ts';

export type Roles = ReturnType<typeof createRoles>;

export function createRoles(dom: Dom) {
  const words = (text: string) => new Set(text.split(' '));
  const known = words(
    'alert alertdialog application article banner blockquote button caption cell checkbox code columnheader combobox ' +
      'complementary contentinfo definition deletion dialog directory document emphasis feed figure form generic grid ' +
      'gridcell group heading img image insertion link list listbox listitem log main mark marquee math menu menubar ' +
      'menuitem menuitemcheckbox menuitemradio meter navigation none note option paragraph presentation progressbar ' +
      'radio radiogroup region row rowgroup rowheader scrollbar search searchbox separator slider spinbutton status ' +
      'strong subscript superscript switch tab table tablist tabpanel term textbox time timer toolbar tooltip tree ' +
      'treegrid treeitem',
  );
  const byTag: Record<string, string> = {
    article: 'article',
    aside: 'complementary',
    blockquote: 'blockquote',
    button: 'button',
    caption: 'caption',
    datalist: 'listbox',
    details: 'group',
    dialog: 'dialog',
    fieldset: 'group',
    figure: 'figure',
    footer: 'contentinfo',
    form: 'form',
    h1: 'heading',
    h2: 'heading',
    h3: 'heading',
    h4: 'heading',
    h5: 'heading',
    h6: 'heading',
    header: 'banner',
    hr: 'separator',
    li: 'listitem',
    main: 'main',
    menu: 'list',
    meter: 'meter',
    nav: 'navigation',
    ol: 'list',
    optgroup: 'group',
    option: 'option',
    output: 'status',
    p: 'paragraph',
    progress: 'progressbar',
    search: 'search',
    section: 'region',
    summary: 'button',
    svg: 'img',
    table: 'table',
    tbody: 'rowgroup',
    td: 'cell',
    textarea: 'textbox',
    tfoot: 'rowgroup',
    th: 'columnheader',
    thead: 'rowgroup',
    tr: 'row',
    ul: 'list',
  };
  const byInputType: Record<string, string> = {
    button: 'button',
    checkbox: 'checkbox',
    file: 'button',
    image: 'button',
    number: 'spinbutton',
    radio: 'radio',
    range: 'slider',
    reset: 'button',
    search: 'searchbox',
    submit: 'button',
  };
  const mayHaveList = words('text search email tel url');

  const typeOf = (input: Element) => (input instanceof HTMLInputElement ? input.type : '');

  function implicit(element: Element): string {
    const tag = dom.tag(element);
    if (tag === 'a' || tag === 'area') return dom.attribute(element, 'href') === null ? '' : 'link';
    if (tag === 'img') return dom.attribute(element, 'alt') === '' ? 'presentation' : 'img';
    if (element instanceof HTMLInputElement) {
      const { type } = element;
      if (type === 'hidden') return '';
      if (mayHaveList.has(type) && element.list) return 'combobox';
      return byInputType[type] ?? 'textbox';
    }
    if (element instanceof HTMLSelectElement) return element.multiple || element.size > 1 ? 'listbox' : 'combobox';
    if (tag === 'th' && dom.attribute(element, 'scope') === 'row') return 'rowheader';
    const role = Object.hasOwn(byTag, tag) ? byTag[tag] : undefined;
    return role ?? (isEditingHost(element) ? 'textbox' : '');
  }

  /** Where editing begins: what is inside it can be edited too, but is part of it. */
  function isEditingHost(element: Element): boolean {
    const value = dom.attribute(element, 'contenteditable');
    return value !== null && value !== 'false' && element instanceof HTMLElement && element.isContentEditable;
  }

  function role(element: Element): string {
    const given = dom.attribute(element, 'role');
    if (given === null) return implicit(element);
    const first = given
      .toLowerCase()
      .split(/\s+/)
      .find((word) => known.has(word));
    if (first === undefined) return implicit(element);
    // What can be used is not made mere decoration by saying so.
    if ((first === 'none' || first === 'presentation') && isFocusable(element)) return implicit(element);
    return first === 'image' ? 'img' : first;
  }

  function isFocusable(element: Element): boolean {
    if (dom.attribute(element, 'tabindex') !== null) return true;
    if (element instanceof HTMLInputElement) return element.type !== 'hidden';
    const tag = dom.tag(element);
    if (tag === 'a' || tag === 'area') return dom.attribute(element, 'href') !== null;
    return tag === 'button' || tag === 'select' || tag === 'textarea' || tag === 'summary' || isEditingHost(element);
  }

  /** Taken out of use, or told to be of no meaning, by itself or something around it. */
  const isSetAside = (element: Element): boolean => dom.isInside(element, '[aria-hidden="true"], [inert]');

  const isDisabled = (element: Element): boolean =>
    dom.isInside(element, ':is(button, input, select, textarea, option):disabled, [aria-disabled="true"]');

  return { role, typeOf, isFocusable, isEditingHost, isSetAside, isDisabled };
}
