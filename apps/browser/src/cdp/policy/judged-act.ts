// Which commands of a guest are judged by rules, as which step, and by what of the page. Every way to press a button, a key or a
// finger down has to be here: what is not, is done without a question.

import type { Step } from '@pilothouse/contract';

type Params = Record<string, unknown>;
export type Point = { x: number; y: number };

/** `by`: what of the page decides. Nothing of it for addresses and dialogs. */
export type JudgedAct = { step: Step; by: { points: Point[] } | 'focus' | undefined };
/** One that cannot be judged, and is not done where rules hold. */
type Unjudgeable = { refuse: string };
type Judged = JudgedAct | Unjudgeable | undefined;

/** Keys that press or take away something, by what the protocol calls them: Chromium goes by the number, whatever the name is. */
const pressingKeys: Record<string, readonly unknown[]> = {
  Enter: ['Enter', 'NumpadEnter', 13],
  Space: ['Space', ' ', 32],
  Backspace: ['Backspace', 8],
  Delete: ['Delete', 46],
};
/** Chromium takes more. */
const maxPoints = 10;
const tooMany = { refuse: `more than ${maxPoints} fingers at once are not looked at, so nothing was done` };
/** As the protocol counts them, and as steps name them. */
const modifierBits = { Control: 2, Alt: 1, Meta: 4, Shift: 8 };
/** A target that no step would have: the page is asked for what is really there. */
const target = 'what is touched';

const judged: Record<string, (params: Params) => Judged> = {
  'Page.navigate': ({ url }) => ({ step: { action: 'navigate', url: textOf(url) }, by: undefined }),
  'Target.createTarget': ({ url }) => ({ step: { action: 'new_page', url: textOf(url) }, by: undefined }),
  'Page.handleJavaScriptDialog': ({ accept }) => ({
    step: { action: 'answer_dialog', accept: accept === true },
    by: undefined,
  }),
  'Input.dispatchMouseEvent': (params) => (params.type === 'mousePressed' ? clickAt([params]) : undefined),
  'Input.emulateTouchFromMouseEvent': (params) => (params.type === 'mousePressed' ? clickAt([params]) : undefined),
  'Input.synthesizeTapGesture': (params) => clickAt([params]),
  // By default it turns a wheel; by touch it puts a finger down.
  'Input.synthesizeScrollGesture': (params) => (params.gestureSourceType === 'touch' ? clickAt([params]) : undefined),
  // A move puts down every finger that is not down, and only Chromium knows which are.
  'Input.dispatchTouchEvent': ({ type, touchPoints }) =>
    (type === 'touchStart' || type === 'touchMove') && Array.isArray(touchPoints) ? clickAt(touchPoints) : undefined,
  'Input.dispatchDragEvent': (params) => (params.type === 'drop' ? clickAt([params]) : undefined),
  'Input.dispatchKeyEvent': ofKey,
  'Input.insertText': ({ text }) => typing(text),
  'Input.imeSetComposition': ({ text }) => typing(text),
};

/** Undefined where the command is not judged. */
export const judgedActOf = (method: string, params: Params): Judged => judged[method]?.(params);

/** The release of a button or a key that was never pressed: pages listen to releases too, so it is judged as the press. */
export const loneReleaseOf = (method: string, params: Params): Judged => {
  if (method === 'Input.dispatchMouseEvent' && params.type === 'mouseReleased') return clickAt([params]);
  return method === 'Input.dispatchKeyEvent' && params.type === 'keyUp'
    ? ofKey({ ...params, type: 'rawKeyDown' })
    : undefined;
};

/** Acts of hand and keyboard keep their order, also while one of them is judged. */
export const isInput = (method: string): boolean => method.startsWith('Input.');

/** The button or key that the command presses or lets go of; undefined for others. */
export function heldBy(method: string, params: Params): { name: string; isDown: boolean } | undefined {
  const { type, button, code, key, windowsVirtualKeyCode, location } = params;
  if (method === 'Input.dispatchMouseEvent' && (type === 'mousePressed' || type === 'mouseReleased'))
    return { name: `button ${textOf(button)}`, isDown: type === 'mousePressed' };
  if (method === 'Input.dispatchTouchEvent' && (type === 'touchStart' || type === 'touchEnd'))
    return { name: 'finger', isDown: type === 'touchStart' };
  if (method === 'Input.dispatchKeyEvent' && (type === 'keyDown' || type === 'rawKeyDown' || type === 'keyUp'))
    return { name: `key ${JSON.stringify([key, code, windowsVirtualKeyCode, location])}`, isDown: type !== 'keyUp' };
  return undefined;
}

function ofKey(params: Params): Judged {
  const { type, key, code, text, unmodifiedText, windowsVirtualKeyCode, nativeVirtualKeyCode } = params;
  if (type !== 'keyDown' && type !== 'rawKeyDown' && type !== 'char') return undefined;
  const said = [key, code, text, unmodifiedText, windowsVirtualKeyCode, nativeVirtualKeyCode];
  const written = typeof text === 'string' ? text : '';
  const pressed = Object.entries(pressingKeys).find(([, names]) => said.some((one) => names.includes(one)))?.[0];
  const name = /[\r\n]/.test(written) ? 'Enter' : pressed;
  if (name) return pressing(name);
  // Without a text it is a key for the page or an order to the editor: to move, to paste, to cut.
  return written === '' && type !== 'char' ? pressing(chordOf(params)) : typing(written);
}

function chordOf({ key, code, modifiers }: Params): string {
  const names = [key, code].filter((one) => typeof one === 'string' && one !== '');
  const held = Object.entries(modifierBits).filter(([, bit]) => typeof modifiers === 'number' && (modifiers & bit) > 0);
  return [...held.map(([name]) => name), names[0] ?? 'Unidentified'].join('+');
}

const pressing = (key: string): JudgedAct => ({ step: { action: 'press', key }, by: 'focus' });

function typing(text: unknown): Judged {
  if (typeof text !== 'string' || text === '') return undefined;
  return { step: { action: 'type', target, text }, by: 'focus' };
}

function clickAt(all: readonly unknown[]): JudgedAct | Unjudgeable {
  if (all.length > maxPoints) return tooMany;
  const points = all.map(pointOf);
  return { step: { action: 'click', target }, by: { points } };
}

/** Of a program, which may send anything in their place. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const pointOf = (value: unknown): Point => {
  const { x, y }: Params = typeof value === 'object' && value !== null ? { ...value } : {};
  return { x: numberOf(x), y: numberOf(y) };
};
const numberOf = (value: unknown): number => (typeof value === 'number' && Number.isFinite(value) ? value : 0);
