// Tells the host which text is put on the clipboard by a `copy` or `cut` that the browser vouches for. The host decides
// whether anyone may know it. One function, because its text is sent.

export function createCopies(tell: (news: string) => void) {
  const listenMs = 250;
  /** More than a host passes on. */
  const maxChars = 65_537;
  const againMs = 200;
  let toldAt = Number.NEGATIVE_INFINITY;
  /** The newest text that was copied too soon after another, until it is told. */
  let next: string | undefined;

  function selected(target: EventTarget | undefined): string {
    const isField = target instanceof HTMLTextAreaElement || target instanceof HTMLInputElement;
    if (!isField) return String(getSelection() ?? '');
    // The browser copies nothing out of a password.
    return target.type === 'password' ? '' : target.value.slice(target.selectionStart ?? 0, target.selectionEnd ?? 0);
  }

  /** A page that copies without end is told of now and then, and at last by its last text. */
  function tellNewest(text: string): void {
    const isWaiting = next !== undefined;
    next = text;
    const waitMs = toldAt + againMs - performance.now();
    if (isWaiting) return;
    if (waitMs <= 0) tellNow();
    else setTimeout(tellNow, waitMs);
  }

  function tellNow(): void {
    toldAt = performance.now();
    const text = next;
    next = undefined;
    tell(JSON.stringify({ type: 'copied', text }));
  }

  function onCopy(event: Event): void {
    if (!event.isTrusted || !(event instanceof ClipboardEvent)) return;
    const text = selected(event.composedPath()[0]);
    // Added now, it runs behind the listeners of the page, which may have put other text there.
    const last = () => {
      const own = event.defaultPrevented ? event.clipboardData?.getData('text/plain') : text;
      if (own) tellNewest(own.slice(0, maxChars).toWellFormed());
    };
    addEventListener(event.type, last, { once: true });
    // Where the page stops the event before.
    setTimeout(() => removeEventListener(event.type, last));
  }

  function listen(): void {
    for (const name of ['copy', 'cut']) addEventListener(name, onCopy, { capture: true, passive: true });
  }

  function start(): void {
    listen();
    // A page that writes itself again takes all listeners away; what listens already is not added again.
    setInterval(listen, listenMs);
  }

  return { start };
}
