// Which commands of a guest are acts: what a person at the browser could do with mouse, keyboard and address bar. Scripts are not
// among them: what one does is not to be read from it.

import { typedText } from './keys.ts';

type Params = Record<string, unknown>;
export type Point = { x: number; y: number };
export type Button = 'left' | 'middle' | 'right' | 'other';

export type Sighting =
  | { type: 'navigate' | 'new_page'; url: string }
  | { type: 'reload' | 'history' | 'close_page' }
  | { type: 'answer_dialog'; accept: boolean }
  | { type: 'down'; point: Point; button: Button; clicks: number }
  | { type: 'up'; point: Point; button: Button }
  | { type: 'tap' | 'drop'; point: Point }
  | { type: 'wheel'; point: Point; delta: Point }
  /** `isWhole`: at once and not key by key. */
  | { type: 'text'; text: string; isWhole?: boolean }
  | { type: 'key'; key: string };

const simple: Record<string, (params: Params) => Sighting | undefined> = {
  'Page.navigate': ({ url }) => ({ type: 'navigate', url: stringOf(url) }),
  'Page.reload': () => ({ type: 'reload' }),
  'Page.navigateToHistoryEntry': () => ({ type: 'history' }),
  'Page.close': () => ({ type: 'close_page' }),
  'Target.closeTarget': () => ({ type: 'close_page' }),
  'Target.createTarget': ({ url }) => ({ type: 'new_page', url: stringOf(url) }),
  'Page.handleJavaScriptDialog': ({ accept }) => ({ type: 'answer_dialog', accept: accept === true }),
  'Input.dispatchMouseEvent': ofMouse,
  'Input.dispatchTouchEvent': ofTouch,
  'Input.dispatchKeyEvent': typedText,
  'Input.insertText': ({ text }) => ofText(text),
  'Input.imeSetComposition': ({ text }) => ofText(text),
  'Input.synthesizeTapGesture': (params) => ({ type: 'tap', point: pointOf(params) }),
  'Input.synthesizeScrollGesture': (params) => ({
    type: 'wheel',
    point: pointOf(params),
    // It says how far the page goes, and a wheel how far it is turned.
    delta: { x: 0 - numberOf(params.xDistance), y: 0 - numberOf(params.yDistance) },
  }),
  'Input.emulateTouchFromMouseEvent': ofTouchByMouse,
  'Input.dispatchDragEvent': (params) =>
    params.type === 'drop' ? { type: 'drop', point: pointOf(params) } : undefined,
};

/** Undefined where the command is no act: also for a pointer that moves, and for keys that are let go. */
export const sightingOf = (method: string, params: Params): Sighting | undefined => simple[method]?.(params);

function ofMouse(params: Params): Sighting | undefined {
  const { type, button, clickCount, deltaX, deltaY } = params;
  const point = pointOf(params);
  if (type === 'mouseWheel') return { type: 'wheel', point, delta: { x: numberOf(deltaX), y: numberOf(deltaY) } };
  if (button === 'none' || button === undefined) return undefined;
  if (type === 'mousePressed') return { type: 'down', point, button: buttonOf(button), clicks: numberOf(clickCount) };
  return type === 'mouseReleased' ? { type: 'up', point, button: buttonOf(button) } : undefined;
}

function ofTouchByMouse(params: Params): Sighting | undefined {
  if (params.type === 'mouseWheel') return ofMouse(params);
  return params.type === 'mousePressed' ? { type: 'tap', point: pointOf(params) } : undefined;
}

function ofTouch({ type, touchPoints }: Params): Sighting | undefined {
  const [first]: unknown[] = Array.isArray(touchPoints) ? touchPoints : [];
  return type === 'touchStart' && first instanceof Object ? { type: 'tap', point: pointOf({ ...first }) } : undefined;
}

function ofText(text: unknown): Sighting | undefined {
  return typeof text === 'string' && text !== '' ? { type: 'text', text, isWhole: true } : undefined;
}

const stringOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const maxCoordinate = 1e6;
/** Beyond this a report of acts could not be read. */
export const clamped = (value: number): number => Math.max(-maxCoordinate, Math.min(maxCoordinate, value));
const numberOf = (value: unknown): number => (typeof value === 'number' && Number.isFinite(value) ? clamped(value) : 0);
const pointOf = ({ x, y }: Params): Point => ({ x: numberOf(x), y: numberOf(y) });
const buttonOf = (button: unknown): Button =>
  button === 'left' || button === 'middle' || button === 'right' ? button : 'other';
