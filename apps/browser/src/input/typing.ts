// Types into a page with frames of other sites: only into the document that the person is at. A frame that took the
// focus gets no text.

import type { CDPSession } from 'playwright-core';
import type { Deadline } from '../common/deadline.ts';
import { StepFailure } from '../common/failure.ts';
import { commandsOf, eventOf, typesText } from '../common/key-codes.ts';
import { typeInto } from '../dom/injected/type-into.ts';
import { type Looks, placeAmong, refocus, type TypingPlace } from '../dom/worlds/typing-target.ts';
import type { TypingInput } from './device-input.ts';
import { keyNamed, pressKey } from './keyboard.ts';

type KeyInput = Extract<TypingInput, { action: 'key' }>;

type Typing = {
  cdp: CDPSession;
  looks: Looks;
  /** When this driver began: what was pressed before says nothing of where the person is. */
  since: number;
  deadline: Deadline;
};

export async function typeAmongSites(input: TypingInput, { cdp, looks, since, deadline }: Typing): Promise<void> {
  const place = placeAmong(looks, undefined, since);
  if (!place) throw focusTaken();
  if (input.action === 'key') return pressKeyAt(cdp, place, input, deadline);
  // Only the browser itself can show unfinished text, and it shows it where the focus is. The finished text is typed.
  if (input.action === 'compose') return;
  const how = input.action === 'paste' ? 'paste' : 'insert';
  const { outcome } = await place.world.run(typeInto, [null, { text: input.text, how }], deadline);
  if (outcome === 'elsewhere') throw focusTaken();
}

async function pressKeyAt(cdp: CDPSession, place: TypingPlace, input: KeyInput, deadline: Deadline): Promise<void> {
  const key = keyNamed(input.key, input.modifiers);
  if (typesText(key)) {
    const typed = { text: key.text ?? '', how: 'insert', key: eventOf(key, input.modifiers) } as const;
    const { outcome } = await place.world.run(typeInto, [null, typed], deadline);
    if (outcome === 'done') return;
    if (outcome === 'elsewhere') throw focusTaken();
  }
  if (!place.isFocused) {
    // What was cut or copied would go to a frame that takes the focus once more.
    if (commandsOf(key, input.modifiers).includes('paste')) throw focusTaken();
    if (!(await refocus(place.world, deadline))) throw focusTaken();
  }
  await Promise.all(pressKey(cdp, key, input.modifiers));
}

const focusTaken = () =>
  new StepFailure('focus_taken', 'a frame of another site has the focus; press on the field before you type');
