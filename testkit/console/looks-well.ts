// How a page of the console looks: for everybody, and without anything beside the window.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';

/** A folder for pictures of everything that is seen; none are made without it. */
const pictures = process.env.PICTURES;
const narrow = { width: 390, height: 844 };

/** No violation of A or AA, dark and light, as wide as it is and narrow. The context of the page has to be its own. */
export async function looksWell(page: Page, name: string): Promise<void> {
  const wide = page.viewportSize();
  assert.ok(wide, 'the page has a size');
  for (const viewport of [wide, narrow]) {
    await page.setViewportSize(viewport);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      const place = `${name}-${viewport.width}-${colorScheme}`;
      if (pictures) await page.screenshot({ path: join(pictures, `${place}.png`) });
      // Marks on the picture fade on purpose; the caption and the timeline say the same.
      const { violations } = await new AxeBuilder({ page })
        .withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'])
        .exclude('[data-testid=marks]')
        .analyze();
      const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
      assert.deepEqual(found, [], place);
    }
    const tooWide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    assert.ok(tooWide <= 0, `${name} is ${tooWide} px wider than a window of ${viewport.width}`);
  }
  await page.setViewportSize(wide);
}
