/// <reference lib="dom" />
// Pointer, keys, composition, paste and wheel of the person who drives, as inputs of the interface. No React.

import type { PointerAction } from './api-types.ts';
import type { InputQueue } from './input-queue.ts';

type Modifier = 'Alt' | 'Control' | 'Meta' | 'Shift';
type Point = { x: number; y: number };
type Held = Pick<KeyboardEvent, 'altKey' | 'ctrlKey' | 'metaKey' | 'shiftKey'>;
type Pressed = Held & Pick<KeyboardEvent, 'key' | 'isComposing'> & { isAltGraph: boolean };

const maxPasted = 50_000;
const lineHeightPx = 40;
const modifierKeys = new Set([
  'Alt',
  'AltGraph',
  'CapsLock',
  'Control',
  'Fn',
  'Meta',
  'NumLock',
  'ScrollLock',
  'Shift',
]);
/** Keys that only an input method or a screen keyboard sends; the text comes as an input event. */
const methodKeys = new Set(['Dead', 'Process', 'Unidentified']);
const buttons = ['left', 'middle', 'right'] as const;

/** What a key press means: an input, `free` for the keys of the console, or nothing because the text follows. */
export function readKey(event: Pressed): PointerAction | 'free' | undefined {
  const { key } = event;
  if (event.isComposing || modifierKeys.has(key) || methodKeys.has(key)) return undefined;
  if (key === 'Escape' && event.shiftKey) return 'free';
  const isChord = (event.ctrlKey || event.metaKey || event.altKey) && !event.isAltGraph;
  // Characters come as input events, which also know composed ones; pasted text comes with its own event.
  if (!isChord && [...key].length === 1) return undefined;
  if (isPaste(event)) return undefined;
  return { action: 'key', key, modifiers: modifiersOf(event) };
}

const isPaste = ({ key, ctrlKey, metaKey, shiftKey }: Pressed): boolean =>
  ((ctrlKey || metaKey) && key.toLowerCase() === 'v') || (shiftKey && key === 'Insert');

/** What an edit of the hidden text field means. */
export function readEdit(inputType: string, data: string | null): PointerAction | undefined {
  if (inputType === 'insertText' && data) return { action: 'type', text: data };
  if (inputType === 'insertLineBreak' || inputType === 'insertParagraph') return { action: 'key', key: 'Enter' };
  if (inputType === 'deleteContentBackward') return { action: 'key', key: 'Backspace' };
  if (inputType === 'deleteContentForward') return { action: 'key', key: 'Delete' };
  // A corrected or swiped word of a screen keyboard.
  if (inputType === 'insertReplacementText' && data) return { action: 'type', text: data };
  return undefined;
}

/** The distances of a wheel in CSS pixels: it counts pixels, lines or pages. */
export function readWheel(
  { deltaX, deltaY, deltaMode }: Pick<WheelEvent, 'deltaX' | 'deltaY' | 'deltaMode'>,
  pagePx: number,
): { delta_x: number; delta_y: number } {
  const unit = deltaMode === 1 ? lineHeightPx : deltaMode === 2 ? pagePx : 1;
  return { delta_x: deltaX * unit, delta_y: deltaY * unit };
}

export function modifiersOf({ altKey, ctrlKey, metaKey, shiftKey }: Held): Modifier[] {
  const held: [boolean, Modifier][] = [
    [altKey, 'Alt'],
    [ctrlKey, 'Control'],
    [metaKey, 'Meta'],
    [shiftKey, 'Shift'],
  ];
  return held.flatMap(([isHeld, name]) => (isHeld ? [name] : []));
}

/** From the place on the screen to CSS pixels of the page; undefined outside of it. */
export function placeOnPage(
  { clientX, clientY }: { clientX: number; clientY: number },
  box: { left: number; top: number; width: number; height: number },
  page: { width: number; height: number },
): Point | undefined {
  if (box.width <= 0 || box.height <= 0) return undefined;
  const round = (value: number) => Math.round(value * 10) / 10;
  const x = ((clientX - box.left) / box.width) * page.width;
  const y = ((clientY - box.top) / box.height) * page.height;
  return { x: round(x), y: round(y) };
}

type Options = {
  /** The picture of the page. */
  picture: HTMLElement;
  /** A text field over it that nobody sees: it has the focus while keys go to the page. */
  keys: HTMLTextAreaElement;
  /** The size of the page in CSS pixels. */
  pageSize: () => { width: number; height: number };
  queue: Pick<InputQueue, 'push' | 'move'>;
  onKeys: (hasKeys: boolean) => void;
  /** The person frees the keys: the focus has to go elsewhere. */
  onFree: () => void;
};

/** Listens until `close`. */
export function createWheelInput(options: Options): { close(): void } {
  const stop = new AbortController();
  listenToPointer(options, stop.signal);
  listenToKeys(options, stop.signal);
  return { close: () => stop.abort() };
}

function listenToPointer({ picture, keys, pageSize, queue }: Options, signal: AbortSignal): void {
  const place = (event: MouseEvent) => placeOnPage(event, picture.getBoundingClientRect(), pageSize());
  const press = (action: 'down' | 'up', event: PointerEvent) => {
    const button = buttons[event.button];
    const point = place(event);
    if (button && point) queue.push({ action, ...point, button, modifiers: modifiersOf(event) });
  };
  const on = <Name extends keyof HTMLElementEventMap>(name: Name, handle: (event: HTMLElementEventMap[Name]) => void) =>
    picture.addEventListener(name, handle, { signal, passive: false });

  on('pointerdown', (event) => {
    if (event.pointerType === 'touch') return;
    event.preventDefault();
    keys.focus({ preventScroll: true });
    picture.setPointerCapture(event.pointerId);
    press('down', event);
  });
  on('pointerup', (event) => {
    if (event.pointerType !== 'touch') press('up', event);
  });
  on('pointermove', (event) => {
    const point = event.pointerType === 'touch' ? undefined : place(event);
    if (point) queue.move({ action: 'move', ...point, modifiers: modifiersOf(event) });
  });
  on('wheel', (event) => {
    event.preventDefault();
    const point = place(event);
    queue.push({ action: 'scroll', ...point, ...readWheel(event, pageSize().height), modifiers: modifiersOf(event) });
  });
  on('contextmenu', (event) => event.preventDefault());
}

function listenToKeys({ keys, queue, onKeys, onFree }: Options, signal: AbortSignal): void {
  const on = <Name extends keyof HTMLElementEventMap>(name: Name, handle: (event: HTMLElementEventMap[Name]) => void) =>
    keys.addEventListener(name, handle, { signal });
  const empty = () => {
    keys.value = '';
  };

  on('focus', () => onKeys(true));
  on('blur', () => onKeys(false));
  on('keydown', (event) => {
    // No key reaches the console while the page has the keys.
    event.stopPropagation();
    const pressed = readKey({
      key: event.key,
      isComposing: event.isComposing,
      isAltGraph: event.getModifierState('AltGraph'),
      altKey: event.altKey,
      ctrlKey: event.ctrlKey,
      metaKey: event.metaKey,
      shiftKey: event.shiftKey,
    });
    if (pressed === undefined) return;
    event.preventDefault();
    if (pressed === 'free') onFree();
    else queue.push(pressed);
  });
  on('beforeinput', (event) => {
    if (event.isComposing) return;
    const edit = readEdit(event.inputType, event.data);
    event.preventDefault();
    if (edit) queue.push(edit);
  });
  on('compositionupdate', (event) => queue.push({ action: 'compose', text: event.data }));
  on('compositionend', (event) => {
    queue.push(event.data ? { action: 'type', text: event.data } : { action: 'compose', text: '' });
    // The field itself keeps nothing.
    setTimeout(empty);
  });
  on('paste', (event) => {
    event.preventDefault();
    const text = event.clipboardData?.getData('text/plain') ?? '';
    if (text) queue.push({ action: 'paste', text: text.slice(0, maxPasted) });
  });
}
