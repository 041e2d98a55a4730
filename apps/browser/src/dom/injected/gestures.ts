// What a document was told by a hand: when it was pressed, which of its fields had the focus last, and that it leaves by
// itself. The host asks for the first two when it has something to type, because by then another may have the focus.

export type Gestures = ReturnType<typeof createGestures>;

export function createGestures(tell: (news: string) => void) {
  const listenMs = 250;
  let pressedAt = 0;
  let keyAt = 0;
  let focused: WeakRef<Element> | undefined;

  function onPress(event: Event): void {
    if (!event.isTrusted) return;
    pressedAt = Date.now();
    // Whether the press gives a field the focus is yet to be seen.
    focused = undefined;
  }

  function onKey(event: Event): void {
    if (event.isTrusted) keyAt = Date.now();
  }

  function onFocus(event: Event): void {
    const [target] = event.composedPath();
    if (event.isTrusted && target instanceof Element) focused = new WeakRef(target);
  }

  /** The browser tells a document of this only where one of the same origin has it leave: itself, or one that could speak for it. */
  function onNavigate({ destination, navigationType }: NavigateEvent): void {
    if (destination.sameDocument || navigationType === 'traverse') return;
    tell(JSON.stringify({ type: 'leaving', url: destination.url }));
  }

  function listen(): void {
    const passive = { capture: true, passive: true };
    addEventListener('mousedown', onPress, passive);
    addEventListener('keydown', onKey, passive);
    addEventListener('focusin', onFocus, passive);
    if (window === top) navigation.addEventListener('navigate', onNavigate);
  }

  function start(): void {
    listen();
    // A page that writes itself again takes all listeners away; what listens already is not added again.
    setInterval(listen, listenMs);
  }

  return { start, pressedAt: () => pressedAt, keyAt: () => keyAt, focused: () => focused?.deref() };
}
