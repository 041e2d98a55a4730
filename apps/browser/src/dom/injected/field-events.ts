// Tells the host which fields are used: that one that holds a secret has the focus, which were written into, and that
// keys went where no dots can cover them. Never what was typed. One long function, because its text is sent.

import type { Drawn } from './element/drawn.ts';
import type { Names } from './element/names.ts';
import type { Dom } from './element/safe-dom.ts';
import type { Secrets } from './element/secrets.ts';
import type { Mask } from './mask.ts';

type Parts = { dom: Dom; names: Names; secrets: Secrets; mask: Mask; drawn: Drawn };
type Focus = 'touch' | 'page' | null;

export type Fields = ReturnType<typeof createFields>;

export function createFields({ dom, names, secrets, mask, drawn }: Parts, tell: (news: string) => void) {
  /** From one secret field to the next there is a moment without. */
  const calmMs = 150;
  const againMs = 1000;
  const labelChars = 80;
  /** A page that is not drawn has no frames. */
  const undrawnMs = 500;
  /** A press ends with a click, which may be what puts the focus into a field. */
  const touchMs = 1000;
  const listenMs = 250;
  /** Fields whose value is chosen, by keys too: no text is drawn in them that was not there before. */
  const chosen = new Set(['date', 'time', 'datetime-local', 'month', 'week', 'color', 'range']);
  let focus: Focus = null;
  let calming: ReturnType<typeof setTimeout> | undefined;
  /** What was pressed last, or reached by a step, and when. */
  let touched: { elements: Set<EventTarget>; at: number } = { elements: new Set(), at: Number.NEGATIVE_INFINITY };
  /** A key is being dealt with: what takes the focus now takes it because of the key. */
  let isKeyDown = false;
  /** Our own hand types right now, and tells the page of it by events that the browser does not vouch for. */
  let isOurs = false;
  /** Whether keys went into a known field, told of a moment ago; and whether there were more since. */
  const tellingKeys = new Map<boolean, boolean>();
  /** By their number, which is what the host calls them. */
  const written: WeakRef<HTMLElement>[] = [];
  const numbers = new WeakMap<Element, number>();
  /** Told of a moment ago, and whether there was more since. */
  const telling = new WeakMap<Element, boolean>();

  function setFocus(next: Focus): void {
    clearTimeout(calming);
    if (next === focus) return;
    const say = () => {
      focus = next;
      tell(JSON.stringify({ type: 'focus', by: next }));
    };
    if (next) say();
    else calming = setTimeout(say, calmMs);
  }

  /** Dots are enough for a field that the page itself focused, or that is not visible. */
  function setSecret(element: Element): void {
    mask.ensure(element);
    const isTouched = isKeyDown || (touched.elements.has(element) && performance.now() - touched.at < touchMs);
    // Once touched it stays so for as long as it has the focus.
    const isStill = focus === 'touch' && touched.elements.has(element);
    if (isTouched && !touched.elements.has(element)) touched.elements = new Set([element]);
    setFocus((isTouched || isStill) && drawn.isDrawn(element) ? 'touch' : 'page');
  }

  function touch(elements: EventTarget[]): void {
    const controls = elements.flatMap((one) => (one instanceof HTMLLabelElement && one.control ? [one.control] : []));
    touched = { elements: new Set([...elements, ...controls]), at: performance.now() };
    // It may have the focus already.
    for (const one of touched.elements)
      if (one instanceof Element && dom.matches(one, ':focus') && secrets.isSecret(one)) setSecret(one);
  }

  const isText = (element: HTMLElement): boolean => secrets.isField(element) || element.isContentEditable;

  function labelOf(element: HTMLElement): string {
    const said = [
      names.label(element),
      ...['placeholder', 'name', 'id'].map((one) => dom.attribute(element, one) ?? ''),
    ];
    return (said.find((text) => text.trim() !== '') ?? dom.tag(element)).slice(0, labelChars);
  }

  function tellOf(element: HTMLElement): void {
    const number = numbers.get(element) ?? written.push(new WeakRef(element)) - 1;
    numbers.set(element, number);
    tell(JSON.stringify({ type: 'written', number, label: labelOf(element), is_text: isText(element) }));
  }

  function onFocus(event: Event): void {
    if (!event.isTrusted) return;
    const [target] = event.composedPath();
    if (target instanceof Element && secrets.isSecret(target)) setSecret(target);
    else setFocus(null);
  }

  function onPress(event: Event): void {
    if (event.isTrusted) touch(event.composedPath());
  }

  /** Whether what is typed there is drawn there, and only there as far as the browser knows. */
  function isKnown(target: EventTarget | undefined): boolean {
    if (!(target instanceof HTMLElement)) return false;
    if (target instanceof HTMLSelectElement || (target instanceof HTMLInputElement && chosen.has(target.type)))
      return true;
    return isText(target) && drawn.isDrawn(target);
  }

  /** Reported once a second, and at the end of it: another driver may have taken over by then. */
  function tellOfKeys(target: EventTarget | undefined): void {
    const is_known = isKnown(target);
    if (tellingKeys.has(is_known)) return void tellingKeys.set(is_known, true);
    const say = () => tell(JSON.stringify({ type: 'keys', is_known }));
    say();
    tellingKeys.set(is_known, false);
    setTimeout(() => {
      const isMore = tellingKeys.get(is_known);
      tellingKeys.delete(is_known);
      if (isMore) say();
    }, againMs);
  }

  /** Keys that move about or give a command say nothing of what a person knows, nor does a space. */
  function onKey(event: Event): void {
    if (!(event.isTrusted || isOurs) || !(event instanceof KeyboardEvent)) return;
    isKeyDown = true;
    setTimeout(() => {
      isKeyDown = false;
    });
    const [target] = event.composedPath();
    if (target instanceof Element && dom.matches(target, ':focus') && secrets.isSecret(target)) setSecret(target);
    const { key, ctrlKey, metaKey, altKey } = event;
    if ([...key].length === 1 && key !== ' ' && !ctrlKey && !metaKey && !altKey) tellOfKeys(target);
  }

  /** A box that is ticked tells of it by an `input` event too, and what is deleted is no text. */
  const isOfText = (event: Event): boolean =>
    event instanceof InputEvent ? /^insert(?!Paragraph|LineBreak)/.test(event.inputType) : event.type !== 'input';

  function onInput(event: Event): void {
    const [target] = event.composedPath();
    // What a person pastes is offered to the page by an event of ours.
    const isHand = event.isTrusted || isOurs || event.type === 'paste';
    if (isHand && isOfText(event)) tellOfKeys(target);
    if (!(target instanceof HTMLElement)) return;
    if (dom.matches(target, ':focus') && secrets.isSecret(target)) setSecret(target);
    // What a script of the page writes comes of no hand.
    if (!isHand) return;
    if (event.type !== 'input' && !isText(target)) return;
    // Each that follows soon is reported once, at the end: another driver may have taken over by then.
    if (telling.has(target)) return void telling.set(target, true);
    tellOf(target);
    telling.set(target, false);
    setTimeout(() => {
      const isMore = telling.get(target);
      telling.delete(target);
      if (isMore) tellOf(target);
    }, againMs);
  }

  /** Covered for good; the host is told when a picture of it can have been drawn. */
  function cover(number: number): void {
    const element = written[number]?.deref();
    if (element) mask.hide(element);
    const done = () => tell(JSON.stringify({ type: 'covered', number }));
    const late = setTimeout(done, undrawnMs);
    afterDrawing(() => {
      clearTimeout(late);
      done();
    });
  }

  const afterDrawing = (work: () => void) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(work)));

  /** A browser that goes back to a page fills its form again: those fields are covered. */
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

  const onBlur = (event: Event) => event.isTrusted && setFocus(null);

  /** What listens already is not added again. */
  function listen(): void {
    const passive = { capture: true, passive: true };
    addEventListener('focusin', onFocus, passive);
    addEventListener('focusout', onBlur, passive);
    addEventListener('pointerdown', onPress, passive);
    addEventListener('keydown', onKey, passive);
    // A page that writes by itself what a person types lets no `input` happen.
    for (const name of ['input', 'beforeinput', 'compositionstart', 'paste']) addEventListener(name, onInput, passive);
    addEventListener('pagehide', leave);
    for (const name of ['DOMContentLoaded', 'load', 'pageshow']) addEventListener(name, coverRestored);
  }

  function tellOfDrawing(): void {
    if (window !== top) return;
    const say = (is_drawn: boolean) => tell(JSON.stringify({ type: 'shown', is_drawn }));
    const late = setTimeout(() => say(false), undrawnMs);
    afterDrawing(() => {
      clearTimeout(late);
      say(true);
    });
  }

  function start(): void {
    listen();
    // A page that writes itself again takes all listeners away.
    setInterval(listen, listenMs);
    tellOfDrawing();
  }

  /** What happens in this counts as a hand's. */
  function byHand(work: () => void): void {
    isOurs = true;
    try {
      work();
    } finally {
      isOurs = false;
    }
  }

  return { start, cover, byHand, reach: (element: Element) => touch([element]) };
}
