// Keys and text as events of Chromium's own protocol, for the element that has the focus.

import type { CDPSession } from 'playwright-core';
import { StepFailure } from '../common/failure.ts';
import { commandsOf, type Key, keyOf, type Modifier, modifierBits } from '../common/key-codes.ts';
import { offerPaste } from './paste.ts';

export function keyNamed(name: string, modifiers: Modifier[]): Key {
  const key = keyOf(name, modifiers);
  if (!key) throw new StepFailure('unsupported', 'no keyboard has such a key');
  return key;
}

/** Presses one key while its modifiers are held. None stays down after it. */
export function pressKey(cdp: CDPSession, key: Key, modifiers: Modifier[]): Promise<unknown>[] {
  const held = modifiers.filter((modifier) => modifier !== key.key);
  const upTo = (count: number) => bitsOf(held.slice(0, count));
  const all = bitsOf(held);
  return [
    ...held.map((modifier, index) => keyEvent(cdp, 'rawKeyDown', modifierKey(modifier), upTo(index + 1))),
    keyEvent(cdp, key.text === undefined ? 'rawKeyDown' : 'keyDown', key, all, commandsOf(key, modifiers)),
    keyEvent(cdp, 'keyUp', key, all),
    ...held.map((_, index) => {
      const last = held.length - 1 - index;
      return keyEvent(cdp, 'keyUp', modifierKey(held[last]), upTo(last));
    }),
  ];
}

function keyEvent(
  cdp: CDPSession,
  type: 'rawKeyDown' | 'keyDown' | 'keyUp',
  { text, ...key }: Key,
  modifiers: number,
  commands: string[] = [],
): Promise<unknown> {
  const typed = type === 'keyDown' ? { text, unmodifiedText: text } : {};
  return cdp.send('Input.dispatchKeyEvent', {
    type,
    ...key,
    ...typed,
    modifiers,
    commands,
    isKeypad: key.location === 3,
  });
}

export function insertText(cdp: CDPSession, text: string): Promise<unknown> {
  return cdp.send('Input.insertText', { text });
}

/** Shows text that an input method has not finished. */
export function compose(cdp: CDPSession, text: string): Promise<unknown> {
  return cdp.send('Input.imeSetComposition', { text, selectionStart: text.length, selectionEnd: text.length });
}

/** Many pages handle a paste themselves; where the page does not, the text is inserted. */
export async function paste(cdp: CDPSession, text: string, signal: AbortSignal): Promise<void> {
  if ((await offerPaste(cdp, text)) || signal.aborted) return;
  await insertText(cdp, text);
}

export const bitsOf = (modifiers: Modifier[]) => modifiers.reduce((bits, modifier) => bits | modifierBits[modifier], 0);

function modifierKey(modifier: Modifier | undefined): Key {
  const key = keyOf(modifier ?? 'Shift', []);
  if (!key) throw new Error(`the table has no ${modifier}`);
  return key;
}
