// Presses keys, which go to the element that has the focus when they come. On a page with frames of other sites, a key
// that types is inserted into the field in one task, and for other keys the focus is checked before and after.

import type { Target } from '@pilothouse/contract';
import type { Page } from 'playwright-core';
import { type Deadline, within } from '../common/deadline.ts';
import { StepFailure } from '../common/failure.ts';
import { eventOf, type Key, keyOf, type Modifier, modifierBits, typesText } from '../common/key-codes.ts';
import type { FoundElement } from '../dom/element.ts';
import { type TypedInto, typeInto } from '../dom/injected/type-into.ts';
import { keyAtOf, lookApart, placeAmong, refocus } from '../dom/worlds/typing-target.ts';
import type { World } from '../dom/worlds/world.ts';
import type { ActionTools } from './action-tools.ts';

/** Attempts to give the focus back before it counts as taken. */
const maxFocusAttempts = 5;
const maxHeldAttempts = 3;

type KeyPress = { key: Key | undefined; modifiers: Modifier[] };

export async function press(tools: ActionTools, name: string, target: Target | undefined): Promise<void> {
  const { touch, deadline } = tools;
  const element = target === undefined ? undefined : await tools.reach(target, 'fill', { isTouch: false });
  const world = await targetWorld(tools, element, deadline);
  if (world === 'unknown') throw focusTaken();
  if (!world) {
    if (element) await touch((firm) => element.call(focus, [], firm));
    return pressHeld(tools, name);
  }
  const { key, modifiers } = pressedBy(name);
  if (key && typesText(key)) {
    const typed = { text: key.text ?? '', how: 'insert', key: eventOf(key, modifiers) } as const;
    const { outcome } = await touch(
      (firm): Promise<TypedInto> =>
        element ? element.call(typeInto, [typed], firm) : world.run(typeInto, [null, typed], firm),
    );
    if (outcome === 'done') return;
    if (outcome === 'elsewhere') throw focusTaken();
  }
  await pressWithFocus(tools, { name, element, world });
}

/** The document that the key is meant for; undefined where all documents of the page are of one origin. */
async function targetWorld(
  { page, pages, documentsOf }: ActionTools,
  element: FoundElement | undefined,
  deadline: Deadline,
): Promise<World | 'unknown' | undefined> {
  // Chromium reports a navigation that came meanwhile before it answers this.
  if (!element) await within(deadline, (await pages.cdp(page)).send('Page.getFrameTree'));
  const looks = await lookApart(page, documentsOf, deadline);
  if (!looks) return undefined;
  if (element) return looks.seen.find(({ world }) => world.frameId === element.frameId)?.world ?? 'unknown';
  return placeAmong(looks, pages.touchedFrame(page))?.world ?? 'unknown';
}

type FocusedPress = { name: string; element: FoundElement | undefined; world: World };

/** A key that types nothing gives no secret away; but if another document received it, the step was not done. */
async function pressWithFocus(tools: ActionTools, { name, element, world }: FocusedPress): Promise<void> {
  const { page, touch, deadline } = tools;
  for (let attempt = 0; ; attempt += 1) {
    if (attempt === maxFocusAttempts) throw focusTaken();
    if (element) await touch((firm) => element.call(focus, [], firm));
    else if (attempt > 0) await touch((firm) => refocus(world, firm));
    if (await hasFocus(tools, page, world, deadline)) break;
  }
  const before = await keyAtOf(world, deadline);
  await pressHeld(tools, name);
  // A document that was left because of the key has received it.
  const after = await keyAtOf(world, deadline).catch(() => Number.MAX_SAFE_INTEGER);
  if (after <= before && before < Number.MAX_SAFE_INTEGER) throw focusTaken();
}

/** Again where the page changed under the hand since a person said yes: then it is judged again. */
async function pressHeld({ page, touch, isLetThrough }: ActionTools, name: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    await touch(() => page.keyboard.press(name));
    if (await isLetThrough()) return;
    if (attempt === maxHeldAttempts) throw new StepFailure('covered', 'the page changes with each touch');
  }
}

async function hasFocus({ documentsOf }: ActionTools, page: Page, target: World, deadline: Deadline): Promise<boolean> {
  const looks = await lookApart(page, documentsOf, deadline);
  return !looks || looks.seen.some(({ world, isFocused }) => isFocused && world.frameId === target.frameId);
}

/** Reads names as the browser library does: modifiers first, joined by a plus. */
function pressedBy(name: string): KeyPress {
  const names = name.split(/(?<=[^+])\+/);
  const held = names.slice(0, -1).map((one) => (one === 'ControlOrMeta' ? 'Control' : one));
  const modifiers = held.filter((one): one is Modifier => one in modifierBits);
  return { key: keyOf(names.at(-1) ?? name, modifiers), modifiers };
}

const focusTaken = () =>
  new StepFailure('focus_taken', 'a frame of another site took the focus; the key may have gone there');

/** Runs in the page. For a label, focuses its field. */
function focus(element: Element): void {
  const field: unknown = ('control' in element ? element.control : undefined) ?? element;
  (field as HTMLElement).focus();
}
