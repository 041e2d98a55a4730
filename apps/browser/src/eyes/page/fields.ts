// Tells the host which fields are used: that one that holds a secret has the focus, and which were written into. Never
// what they hold.

import type { Dom } from './dom.ts';
import type { Mask } from './mask.ts';
import type { Names } from './names.ts';
import type { Secrets } from './secrets.ts';

type Parts = { dom: Dom; names: Names; secrets: Secrets; mask: Mask };

export function createFields({ dom, names, secrets, mask }: Parts, tell: (news: string) => void) {
  /** From one secret field to the next there is a moment without. */
  const CALM_MS = 150;
  const AGAIN_MS = 1000;
  const LABEL_CHARS = 80;
  let isSecret = false;
  let calming: ReturnType<typeof setTimeout> | undefined;
  /** By their number, which is what the host calls them. */
  const written: WeakRef<HTMLElement>[] = [];
  const numbers = new WeakMap<Element, number>();
  /** Told of a moment ago, and whether there was more since. */
  const telling = new WeakMap<Element, boolean>();

  function setSecret(next: boolean): void {
    clearTimeout(calming);
    if (next === isSecret) return;
    const say = () => {
      isSecret = next;
      tell(JSON.stringify({ type: 'focus', is_secret: next }));
    };
    if (next) say();
    else calming = setTimeout(say, CALM_MS);
  }

  const isText = (element: HTMLElement): boolean => secrets.isField(element) || element.isContentEditable;

  function labelOf(element: HTMLElement): string {
    const said = [
      names.label(element),
      ...['placeholder', 'name', 'id'].map((one) => dom.attribute(element, one) ?? ''),
    ];
    return (said.find((text) => text.trim() !== '') ?? dom.tag(element)).slice(0, LABEL_CHARS);
  }

  function tellOf(element: HTMLElement): void {
    const number = numbers.get(element) ?? written.push(new WeakRef(element)) - 1;
    numbers.set(element, number);
    tell(JSON.stringify({ type: 'written', number, label: labelOf(element), is_text: isText(element) }));
  }

  function onFocus(event: Event): void {
    if (!event.isTrusted) return;
    const [target] = event.composedPath();
    setSecret(target instanceof Element && secrets.isSecret(target));
  }

  function onInput(event: Event): void {
    const [target] = event.composedPath();
    if (!(target instanceof HTMLElement)) return;
    if (dom.matches(target, ':focus') && secrets.isSecret(target)) setSecret(true);
    // What a script of the page writes is nobody's hand; what is pasted for somebody is, and the page may take it itself.
    if (!event.isTrusted && event.type !== 'paste') return;
    if (event.type !== 'input' && !isText(target)) return;
    // Each that follows soon is told of once, at the end: somebody else may drive by then.
    if (telling.has(target)) return void telling.set(target, true);
    tellOf(target);
    telling.set(target, false);
    setTimeout(() => {
      const isMore = telling.get(target);
      telling.delete(target);
      if (isMore) tellOf(target);
    }, AGAIN_MS);
  }

  /** Covered for good; the host is told when a picture of it can have been drawn. */
  function cover(number: number): void {
    const element = written[number]?.deref();
    if (element) mask.hide(element);
    const done = () => tell(JSON.stringify({ type: 'covered', number }));
    // A page that is not drawn has no frames.
    const late = setTimeout(done, 500);
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        clearTimeout(late);
        setTimeout(done);
      }),
    );
  }

  /** What the browser puts back into a form that somebody returns to, it puts there for whoever was here before. */
  function coverRestored(): void {
    const [entry] = performance.getEntriesByType('navigation');
    if (!(entry instanceof PerformanceNavigationTiming) || entry.type !== 'back_forward') return;
    for (const element of dom.all())
      if (secrets.isField(element) && element.value !== element.defaultValue) mask.hide(element);
  }

  /** The browser may bring the whole document back as it was. */
  function leave(): void {
    for (const one of written) {
      const element = one.deref();
      if (element && isText(element)) mask.hide(element);
    }
  }

  function start(): void {
    const passive = { capture: true, passive: true };
    addEventListener('focusin', onFocus, passive);
    addEventListener('focusout', (event) => event.isTrusted && setSecret(false), passive);
    // A page that writes by itself what somebody types lets no `input` happen.
    for (const name of ['input', 'beforeinput', 'compositionstart', 'paste']) addEventListener(name, onInput, passive);
    addEventListener('pagehide', leave);
    for (const name of ['DOMContentLoaded', 'load', 'pageshow']) addEventListener(name, coverRestored);
  }

  return { start, cover };
}
