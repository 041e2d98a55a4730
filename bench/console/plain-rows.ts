// A page with nothing but as many plain rows as the timeline shows steps: what drawing takes on this machine without a console.

import type { Browser, Page } from 'playwright-core';

/** Text, a line and a small picture in each row, as high as a step; all of them are in the page. */
export async function openPlainRows(browser: Browser, rows: number): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.setContent(`<!doctype html><title>Plain rows</title>
<style>
  body { margin: 0; font: 13px sans-serif }
  main { position: absolute; inset: 0 0 0 auto; width: 416px; overflow-y: auto }
  p { display: flex; height: 40px; margin: 0; padding: 4px 16px; box-sizing: border-box; justify-content: space-between }
  i { width: 56px; height: 32px; background: linear-gradient(#1a7a4c, #f0b03c) }
</style>
<main data-testid="timeline">${Array.from({ length: rows }, (_, row) => `<p>Step ${row + 1}<i></i></p>`).join('')}</main>`);
  await page.getByTestId('timeline').evaluate((list) => list.scrollTo(0, list.scrollHeight));
  return page;
}
