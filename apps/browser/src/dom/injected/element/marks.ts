// Numbers for elements, so that they can be spoken of. An element keeps its number as long as it lives.

import type { Dom } from './safe-dom.ts';

export type Marks = ReturnType<typeof createMarks>;

export function createMarks(dom: Dom) {
  const numbers = new WeakMap<Element, number>();
  const elements = new Map<number, WeakRef<Element>>();
  const gone = new FinalizationRegistry<number>((number) => elements.delete(number));
  let count = 0;

  function mark(element: Element): number {
    const known = numbers.get(element);
    if (known !== undefined) return known;
    count += 1;
    numbers.set(element, count);
    elements.set(count, new WeakRef(element));
    gone.register(element, count);
    return count;
  }

  /** Null where it is no longer part of the page. */
  function element(number: number): Element | null {
    const known = elements.get(number)?.deref();
    return known && dom.isConnected(known) ? known : null;
  }

  return { mark, element };
}
