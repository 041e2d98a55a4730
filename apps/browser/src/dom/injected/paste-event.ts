/// <reference lib="dom" />
// Runs in the page: offers pasted text to the focused element, as the browser does. Sent by its text.

/** True if the page handled it. */
export function offerPasteEvent(text: string): boolean {
  let element = document.activeElement;
  for (;;) {
    let inner = element?.shadowRoot?.activeElement;
    try {
      // Only frames have a document, and only those of the same origin show it.
      inner ??= (element as HTMLIFrameElement | null)?.contentDocument?.activeElement;
    } catch {}
    if (!inner) break;
    element = inner;
  }
  const clipboardData = new DataTransfer();
  clipboardData.setData('text/plain', text);
  const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true, composed: true });
  return !(element ?? document.body ?? document).dispatchEvent(event);
}
