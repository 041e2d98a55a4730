// The buttons, keys and fingers that a guest holds down on each page: another driver must find them up.

import type { Command } from '../multiplexer.ts';

/** Beside the page, so that what is released there clicks nothing. */
const outside = { x: -10, y: -10 };

type Params = Record<string, unknown>;
type Held = {
  buttons: Set<string>;
  keys: Map<string, Params>;
  hasTouch: boolean;
  isDragging: boolean;
  byMouse?: string;
};

/** Chromium's own are shorter. */
const maxName = 100;
/** People have ten fingers. */
const maxHeld = 200;
const buttonNames = new Set<unknown>(['left', 'middle', 'right', 'back', 'forward']);

export type HeldDown = {
  /** Why a press cannot be kept, and must not be done: what is not kept would stay down for another driver. */
  objectionTo(method: string, params: Params): string | undefined;
  /** A command of the guest that Chromium was given. */
  note(sessionId: string, method: string, params: Params): void;
  /** Whether this lets go of a button that was let go of for the guest: it is up, and the page has heard so. */
  wasLetGo(sessionId: string, method: string, params: Params): boolean;
  /** The same. It is asked once. */
  isUpAlready(sessionId: string, method: string, params: Params): boolean;
  forget(sessionId: string): void;
  /** What lets go of everything, in order. It is asked once: then nothing is held. */
  release(): Command[];
};

export function createHeldDown(): HeldDown {
  const sessions = new Map<string, Held>();
  const letGo = new Set<string>();
  /** Whatever the client says: what is no text is no button. */
  const nameOf = (sessionId: string, button: unknown) => `${sessionId} ${typeof button === 'string' ? button : ''}`;
  const of = (sessionId: string): Held => {
    const held = sessions.get(sessionId) ?? { buttons: new Set(), keys: new Map(), hasTouch: false, isDragging: false };
    sessions.set(sessionId, held);
    return held;
  };

  function noteMouse({ buttons }: Held, { type, button }: Params): void {
    if (type === 'mousePressed' && typeof button === 'string' && buttonNames.has(button)) buttons.add(button);
    if (type === 'mouseReleased' && typeof button === 'string') buttons.delete(button);
  }

  function noteTouchByMouse(held: Held, { type, button }: Params): void {
    if (type === 'mousePressed') held.byMouse = button === 'right' ? 'right' : 'left';
    if (type === 'mouseReleased') delete held.byMouse;
  }

  function noteKey({ keys }: Held, { type, key, code, windowsVirtualKeyCode, location }: Params): void {
    const name = JSON.stringify([key, code, windowsVirtualKeyCode, location]);
    if (type === 'keyDown' || type === 'rawKeyDown') keys.set(name, { key, code, windowsVirtualKeyCode, location });
    if (type === 'keyUp') keys.delete(name);
  }

  return {
    objectionTo(method, { type, key, code, windowsVirtualKeyCode, location }) {
      if (method !== 'Input.dispatchKeyEvent') return undefined;
      if (![key, code].every(isShort) || ![windowsVirtualKeyCode, location].every(isNumber))
        return `a key has a name and a code of at most ${maxName} characters, a number and a place`;
      const count = [...sessions.values()].reduce((sum, { keys }) => sum + keys.size, 0);
      return type !== 'keyUp' && count >= maxHeld ? 'too many keys are held down' : undefined;
    },
    note(sessionId, method, params) {
      if (!presses.has(method)) return;
      const held = of(sessionId);
      if (method === 'Input.emulateTouchFromMouseEvent') noteTouchByMouse(held, params);
      if (params.type === 'mousePressed') letGo.delete(nameOf(sessionId, params.button));
      if (method === 'Input.dispatchMouseEvent') noteMouse(held, params);
      if (method === 'Input.dispatchKeyEvent') noteKey(held, params);
      if (method === 'Input.dispatchTouchEvent')
        held.hasTouch = params.type === 'touchStart' || (held.hasTouch && params.type === 'touchMove');
      if (method === 'Input.dispatchDragEvent')
        held.isDragging = params.type === 'dragEnter' || params.type === 'dragOver';
    },
    wasLetGo: (sessionId, method, params) =>
      isMouseRelease(method, params) && letGo.has(nameOf(sessionId, params.button)),
    isUpAlready: (sessionId, method, params) =>
      isMouseRelease(method, params) && letGo.delete(nameOf(sessionId, params.button)),
    forget(sessionId) {
      sessions.delete(sessionId);
      for (const name of letGo) if (name.startsWith(nameOf(sessionId, ''))) letGo.delete(name);
    },
    release() {
      for (const [sessionId, { buttons }] of sessions)
        for (const button of buttons) letGo.add(nameOf(sessionId, button));
      const commands = [...sessions].flatMap(([sessionId, held]) =>
        releasesOf(held).map((one) => ({ ...one, sessionId })),
      );
      sessions.clear();
      return commands;
    },
  };
}

const isShort = (value: unknown): boolean =>
  value === undefined || (typeof value === 'string' && value.length <= maxName);
const isNumber = (value: unknown): boolean => value === undefined || typeof value === 'number';

/** What puts something down that stays there. A gesture lifts its own fingers. */
const presses = new Set([
  'Input.dispatchDragEvent',
  'Input.dispatchKeyEvent',
  'Input.dispatchMouseEvent',
  'Input.dispatchTouchEvent',
  'Input.emulateTouchFromMouseEvent',
]);

const isMouseRelease = (method: string, { type }: Params): boolean =>
  method === 'Input.dispatchMouseEvent' && type === 'mouseReleased';

function releasesOf({ buttons, keys, hasTouch, isDragging, byMouse }: Held): Command[] {
  const mouse = (params: Params): Command => ({
    method: 'Input.dispatchMouseEvent',
    params: { ...outside, ...params },
  });
  return [
    ...(isDragging ? [{ method: 'Input.cancelDragging' }] : []),
    ...(buttons.size > 0 ? [mouse({ type: 'mouseMoved' })] : []),
    ...[...buttons].map((button) => mouse({ type: 'mouseReleased', button })),
    ...[...keys.values()].map((params) => ({ method: 'Input.dispatchKeyEvent', params: { ...params, type: 'keyUp' } })),
    ...['mouseMoved', 'mouseReleased'].flatMap((type) =>
      byMouse === undefined
        ? []
        : [{ method: 'Input.emulateTouchFromMouseEvent', params: { ...outside, type, button: byMouse } }],
    ),
    ...(hasTouch ? [{ method: 'Input.dispatchTouchEvent', params: { type: 'touchCancel', touchPoints: [] } }] : []),
  ];
}
