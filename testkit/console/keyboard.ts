// A person who has only a keyboard: goes from control to control by Tab, and sees at each where the focus is.

import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { until } from '../until.ts';

export type Focus = { tag: string; name: string; testId: string; isLost: boolean; isVisible: boolean };

/** Runs in the page. */
function readFocus(): Focus {
  const element = document.activeElement as HTMLElement;
  const isLost = element === document.body || element === null;
  const texts = [element?.getAttribute('aria-label'), element?.getAttribute('title'), element?.textContent];
  const labels = element instanceof HTMLInputElement ? [...(element.labels ?? [])].map((one) => one.textContent) : [];
  const name =
    [...labels, ...texts]
      .find((text) => text?.trim())
      ?.trim()
      .replace(/\s+/g, ' ') ?? '';
  /** A line of two pixels or more, drawn as an outline or as a shadow. */
  const hasLine = (one: Element | null | undefined) => {
    if (!one) return false;
    return [undefined, '::after'].some((part) => {
      const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(one, part);
      if (outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2) return true;
      return /0px 0px 0px [2-9]px|0px -[2-9]px 0px 0px/.test(boxShadow);
    });
  };
  const around = (count: number) => {
    const found: Element[] = [];
    for (let one = element?.parentElement; one && found.length < count; one = one.parentElement) found.push(one);
    return found;
  };
  const ground = (one: Element | null | undefined) => (one ? getComputedStyle(one).backgroundColor : '');
  const isField = element?.matches('input, textarea, [contenteditable=true]') ?? false;
  const chosen = element?.getAttribute('aria-activedescendant');
  const isVisible =
    hasLine(element) ||
    // The box around a field has the line.
    (isField && around(element?.closest('.script-editor') ? 5 : 2).some(hasLine)) ||
    // The page in the picture, the chosen row of a list, the entry of a menu.
    (element?.dataset.testid === 'page-keys' && document.querySelector('.keys-ring') !== null) ||
    (chosen != null && ground(document.getElementById(chosen)) !== ground(element)) ||
    (element?.matches('[role=menuitem]') && ground(element) !== ground(element.parentElement));
  return {
    tag: element?.tagName.toLowerCase() ?? '',
    name,
    testId: element?.dataset.testid ?? '',
    isLost,
    isVisible: isVisible === true,
  };
}

export const focusOf = (page: Page): Promise<Focus> => page.evaluate(readFocus);

/** Fails where the focus is nowhere, or is not drawn. */
export async function seesFocus(page: Page, when: string): Promise<Focus> {
  // What closes gives the focus back a frame later.
  await until(async () => !(await focusOf(page)).isLost, 5000).catch(() => assert.fail(`${when}: the focus is lost`));
  const focus = await focusOf(page);
  assert.ok(focus.isVisible, `${when}: the focus on ${focus.tag} “${focus.name.slice(0, 80)}” is not seen`);
  return focus;
}

const mostTabs = 120;

/** Presses Tab, or Shift and Tab, until a control of this name has the focus. */
export async function tabTo(page: Page, name: string | RegExp, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  const passed: string[] = [];
  for (let count = 0; count < mostTabs; count += 1) {
    await page.keyboard.press(key);
    const focus = await focusOf(page);
    // The end of the page: the browser's own bar comes next.
    if (focus.isLost) continue;
    assert.ok(focus.isVisible, `the focus on ${focus.tag} “${focus.name.slice(0, 80)}” is not seen`);
    if (typeof name === 'string' ? focus.name === name || focus.testId === name : name.test(focus.name)) return;
    passed.push(focus.name.slice(0, 40) || focus.tag);
  }
  assert.fail(`${name} is not reached by ${key}: ${passed.join(', ')}`);
}
