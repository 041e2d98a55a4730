// What a person could read, in reading order.

import type { Names } from './element/names.ts';
import type { Dom } from './element/safe-dom.ts';
import type { Secrets } from './element/secrets.ts';
import type { Sight } from './element/visibility.ts';

export type Reader = ReturnType<typeof createReader>;

/** A number stands for the text of the frame of that place in the list that was given. */
export type Pieces = (string | number)[];

export function createReader(dom: Dom, names: Names, sight: Sight, secrets: Secrets) {
  type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

  const isControl = (element: Element): element is Control =>
    element instanceof HTMLInputElement ||
    element instanceof HTMLTextAreaElement ||
    element instanceof HTMLSelectElement;

  const valueless = new Set(['button', 'submit', 'reset', 'image', 'checkbox', 'radio', 'hidden']);

  /** What a control holds, as far as others may read it; undefined for what holds nothing. */
  function held(element: Element): string | undefined {
    if (!isControl(element)) return undefined;
    if (element instanceof HTMLSelectElement) {
      const chosen = [...element.selectedOptions].map((option) => names.tidy(dom.textOf(option))).join(', ');
      return secrets.masked(element, chosen);
    }
    if (element instanceof HTMLInputElement) {
      if (valueless.has(element.type)) return undefined;
      if (element.type === 'file') return [...(element.files ?? [])].map(({ name }) => name).join(', ');
    }
    return secrets.masked(element, element.value);
  }

  /** Stops at the limit, or throws where only the whole will do. */
  function pieces(from: Element, limit: number, isWhole: boolean, frames: Element[] = []): Pieces {
    const found: Pieces = [];
    let text = '';
    let left = limit;
    const add = (words: string) => {
      text += words.slice(0, Math.max(0, left));
      left -= words.length;
      if (left < 0 && isWhole) throw new RangeError('too much to read');
    };
    const visit = (element: Element, depth: number): void => {
      if (left <= 0 || depth > dom.maxDepth) return;
      const frame = frames.indexOf(element);
      if (frame >= 0) {
        found.push(text, frame);
        text = '';
        return;
      }
      if (names.isMute(dom.tag(element)) || !sight.mayShow(element)) return;
      if (dom.tag(element) === 'br') add('\n');
      if (isControl(element) || sight.isFolded(element)) return;
      const style = getComputedStyle(element);
      // What the page or we draw as dots is not read either.
      if (style.getPropertyValue('-webkit-text-security') !== 'none') {
        add(secrets.mask);
        return;
      }
      const edge = edgeOf(style.display);
      add(edge);
      // Asked only of elements that have words of their own.
      let isSeen: boolean | undefined;
      dom.eachChild(element, (child) => {
        if (dom.isElement(child)) return visit(child, depth + 1);
        const words = dom.isText(child) ? dom.textOf(child) : '';
        if (!words) return;
        isSeen ??= style.visibility === 'visible' && !sight.isUnreachable(element, dom.rect(element));
        if (isSeen) add(style.whiteSpaceCollapse === 'preserve' ? words : words.replace(/\s+/g, ' '));
      });
      add(edge === '\t' ? '' : edge);
    };
    visit(from, 0);
    found.push(text);
    return found;
  }

  function edgeOf(display: string): string {
    if (display === 'table-cell') return '\t';
    return display.startsWith('inline') || display === 'contents' ? '' : '\n';
  }

  const tidyLines = (text: string) =>
    text
      .replace(/[ \u00a0]*\n[ \t\u00a0]*/g, '\n')
      .replace(/ {2,}/g, ' ')
      .replace(/\n{2,}/g, '\n')
      .trim();

  const read = (element: Element, limit: number, isWhole = false): string =>
    held(element) ?? tidyLines(pieces(element, limit, isWhole).join(''));

  function page(limit: number, isWhole: boolean, ...frames: Element[]): Pieces {
    const root = dom.root();
    const found = root ? pieces(root, limit, isWhole, frames) : [];
    return found.map((piece) => (typeof piece === 'string' ? tidyLines(piece) : piece));
  }

  return { isControl, held, read, page };
}
