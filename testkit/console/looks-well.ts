// How a page of the console looks: for everybody, and without anything beside the window.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';

/** A folder for pictures of everything that is seen; none are made without it. */
const pictures = process.env.PICTURES;
const narrow = { width: 390, height: 844 };
const themes = ['light', 'dark'] as const;

/** No violation of A or AA, dark and light, as wide as it is and narrow. The context of the page has to be its own. */
export async function looksWell(page: Page, name: string): Promise<void> {
  const wide = page.viewportSize();
  assert.ok(wide, 'the page has a size');
  for (const viewport of [wide, narrow]) {
    await page.setViewportSize(viewport);
    for (const colorScheme of themes) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await hasNoViolation(page, `${name}-${viewport.width}-${colorScheme}`);
    }
    const tooWide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    assert.ok(tooWide <= 0, `${name} is ${tooWide} px wider than a window of ${viewport.width}`);
  }
  await page.setViewportSize(wide);
}

/**
 * For states that follow each other: each name is looked at once, dark and light, in the page as it stands. The theme is
 * one class of the document, so nothing is loaded or laid out anew that could end the state.
 */
export function createStateLook(): (page: Page, name: string) => Promise<void> {
  const seen = new Set<string>();
  return async (page, name) => {
    if (seen.has(name)) return;
    seen.add(name);
    for (const theme of [...themes].reverse()) {
      await page.evaluate((isDark) => document.documentElement.classList.toggle('dark', isDark), theme === 'dark');
      await hasNoViolation(page, `${name}-${theme}`, { staysInFront: true });
    }
  };
}

/** `staysInFront`: axe opens no page of its own, so that the page is not covered for a moment. */
async function hasNoViolation(page: Page, place: string, { staysInFront = false } = {}): Promise<void> {
  if (pictures) await page.screenshot({ path: join(pictures, `${place.replaceAll(/\W+/g, '-')}.png`) });
  // Marks on the picture fade on purpose; the caption and the timeline say the same.
  const { violations } = await new AxeBuilder({ page })
    .withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'])
    .exclude('[data-testid=marks]')
    .setLegacyMode(staysInFront)
    .analyze();
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
  assert.deepEqual(found, [], place);
}
