// What a person would call an element: the rules of accessible names, without their rarest corners.

import type { Roles } from './roles.ts';
import type { Dom } from './safe-dom.ts';
import type { Sight } from './visibility.ts';

export type Names = ReturnType<typeof createNames>;

export function createNames(dom: Dom, roles: Roles, sight: Sight) {
  const maxChars = 2000;
  const set = (text: string) => new Set(text.split(' '));
  const namedByContent = set(
    'button cell checkbox columnheader gridcell heading link menuitem menuitemcheckbox menuitemradio option radio row ' +
      'rowheader switch tab tooltip treeitem term definition listitem',
  );
  const inline = set(
    'a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd mark q s samp small span strong sub sup time tt u var wbr slot',
  );
  const mute = set('script style noscript template head title iframe object audio video canvas');
  const controls = set('input select textarea button');

  const tidy = (text: string) => text.replace(/[\s\u200b\u00ad]+/g, ' ').trim();

  const labelable = set('input select textarea button meter progress output');
  function labelsOf(element: Element): Element[] {
    if (!labelable.has(dom.tag(element)) || !('labels' in element)) return [];
    return element.labels instanceof NodeList ? [...element.labels].filter(dom.isElement) : [];
  }

  /** The words in it, as they are drawn. The controls in a label are not part of what it says. */
  function content(element: Element, isLabel: boolean, depth = 0): string {
    if (depth > 30) return '';
    let text = '';
    dom.eachChild(element, (child) => {
      if (text.length > maxChars) return;
      if (dom.isText(child)) text += dom.textOf(child);
      else if (dom.isElement(child)) text += part(child, isLabel, depth);
    });
    return text;
  }

  function part(child: Element, isLabel: boolean, depth: number): string {
    const tag = dom.tag(child);
    if (mute.has(tag) || dom.attribute(child, 'aria-hidden') === 'true' || !sight.isShown(child)) return '';
    if (isLabel && controls.has(tag)) return ' ';
    const own = dom.attribute(child, 'aria-label')?.trim();
    if (own) return ` ${own} `;
    if (tag === 'img' || tag === 'area') return ` ${dom.attribute(child, 'alt') ?? ''} `;
    if (tag === 'svg') return ` ${svgTitle(child)} `;
    if (tag === 'br') return ' ';
    if (child instanceof HTMLInputElement) return buttonInputs.has(child.type) ? ` ${child.value} ` : ' ';
    if (tag === 'select' || tag === 'textarea') return ' ';
    const words = content(child, isLabel, depth + 1);
    return inline.has(tag) ? words : ` ${words} `;
  }

  const buttonInputs = set('button submit reset');

  function svgTitle(svg: Element): string {
    let title = '';
    dom.eachChild(svg, (child) => {
      if (dom.isElement(child) && dom.tag(child) === 'title') title ||= dom.textOf(child);
    });
    return title;
  }

  function firstChild(element: Element, tag: string): string {
    let text = '';
    dom.eachChild(element, (child) => {
      if (!text && dom.isElement(child) && dom.tag(child) === tag) text = content(child, false);
    });
    return text;
  }

  /** What labels it, by whichever way; empty where nothing does. */
  function label(element: Element): string {
    const ids = dom.attribute(element, 'aria-labelledby')?.split(/\s+/).filter(Boolean) ?? [];
    const by = ids.flatMap((id) => dom.elementById(element, id) ?? []);
    // What labels may be hidden itself.
    const named = tidy(
      by.map((one) => dom.attribute(one, 'aria-label') || content(one, true) || dom.textOf(one)).join(' '),
    );
    if (named) return named;
    const told = tidy(dom.attribute(element, 'aria-label') ?? '');
    if (told) return told;
    return tidy(
      labelsOf(element)
        .map((one) => content(one, true))
        .join(' '),
    );
  }

  function native(element: Element): string {
    const tag = dom.tag(element);
    if (tag === 'img' || tag === 'area') return dom.attribute(element, 'alt') ?? '';
    if (element instanceof HTMLInputElement) {
      if (buttonInputs.has(element.type))
        return element.value || { submit: 'Submit', reset: 'Reset' }[element.type] || '';
      if (element.type === 'image') return dom.attribute(element, 'alt') || 'Submit';
      return '';
    }
    if (tag === 'svg') return svgTitle(element);
    if (tag === 'fieldset') return firstChild(element, 'legend');
    if (tag === 'table') return firstChild(element, 'caption');
    if (tag === 'figure') return firstChild(element, 'figcaption');
    if (tag === 'optgroup' || tag === 'option') return dom.attribute(element, 'label') ?? '';
    return '';
  }

  const placeholder = (element: Element): string =>
    tidy(dom.attribute(element, 'placeholder') ?? dom.attribute(element, 'aria-placeholder') ?? '');

  function name(element: Element): string {
    const known = label(element) || tidy(native(element));
    if (known) return known.slice(0, maxChars);
    const isNamedSo = namedByContent.has(roles.role(element)) || dom.tag(element) === 'summary';
    const words = isNamedSo && !(element instanceof HTMLInputElement) ? tidy(content(element, false)) : '';
    return (words || tidy(dom.attribute(element, 'title') ?? '') || placeholder(element)).slice(0, maxChars);
  }

  return {
    name,
    label,
    placeholder,
    labelsOf,
    tidy,
    isInline: (tag: string) => inline.has(tag),
    isMute: (tag: string) => mute.has(tag),
  };
}
