// Holds a touch to what a person said yes to: looks at the element again inside of the events of the touch, before the page is told of
// them, and stops those of a touch whose page has changed since. One long function, because its text is sent.

import type { ActLook, ActReader } from './act-facts.ts';

export type HeldAct = ReturnType<typeof createHeldAct>;
/** `waiting`: no event of the touch has come to this document. */
export type HeldState = 'waiting' | 'passed' | 'stopped';

export function createHeldAct(acts: ActReader) {
  const kinds = ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click', 'dblclick', 'keydown', 'keypress'];
  type Held = { element: Element | null; told: string; action: string | undefined; state: HeldState };
  let held: Held | undefined;

  const focused = (): ActLook | null => {
    const found = acts.lookAtFocus(true);
    return typeof found === 'object' ? found : null;
  };
  const look = (element: Element | null): ActLook | null => (element ? acts.look(element, true) : focused());
  const actionOf = (seen: ActLook | null): string | undefined => seen?.identity.form?.action;

  function stop(event: Event, one: Held): void {
    one.state = 'stopped';
    event.preventDefault();
    event.stopImmediatePropagation();
  }

  /** The first to hear of it, but for what the page put at the same place earlier. */
  function before(event: Event): void {
    if (!held || !event.isTrusted) return;
    if (held.state === 'stopped' || JSON.stringify(look(held.element)) !== held.told) stop(event, held);
    else held.state = 'passed';
  }

  /** The last to hear of it: what the page changed because of the touch is the touch's own doing. */
  function after(event: Event): void {
    if (held && event.isTrusted) held.told = JSON.stringify(look(held.element));
  }

  /** Whatever the page did because of the touch, the form goes where the person was told. */
  function sending(event: Event): void {
    if (held && (held.state === 'stopped' || actionOf(look(held.element)) !== held.action)) stop(event, held);
  }

  /** Without an element: what has the focus. */
  function hold(element: Element | null): ActLook | null {
    letGo();
    const seen = look(element);
    held = { element, told: JSON.stringify(seen), action: actionOf(seen), state: 'waiting' };
    for (const kind of kinds) {
      addEventListener(kind, before, true);
      addEventListener(kind, after);
    }
    addEventListener('submit', sending, true);
    return seen;
  }

  function letGo(): void {
    held = undefined;
    for (const kind of kinds) {
      removeEventListener(kind, before, true);
      removeEventListener(kind, after);
    }
    removeEventListener('submit', sending, true);
  }

  return { hold, letGo, state: (): HeldState => held?.state ?? 'waiting' };
}
