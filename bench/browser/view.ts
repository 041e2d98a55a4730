// The view of a page beside the snapshot that Playwright makes for models, on the same pages in the same run: facts found,
// secrets shown, tokens, and the time of each. Tokens are those of o200k.

import { Tiktoken } from 'js-tiktoken/lite';
import o200k from 'js-tiktoken/ranks/o200k_base';
import { chromium, type Page } from 'playwright-core';
import { startDeadline } from '../../apps/browser/src/common/deadline.ts';
import { createDom, type Dom } from '../../apps/browser/src/dom/dom.ts';
import { figuresOf, round } from '../../testkit/percentiles.ts';
import { facts } from '../../testkit/view/facts.ts';
import { secretsOfHardPage, unseenOfHardPage } from '../../testkit/view/hard-page.ts';
import { startViewSite } from '../../testkit/view/view-site.ts';

const lookMs = 20_000;

export async function measureView(rounds: number, path = '/usr/lib/chromium/chromium-headless-shell') {
  const encoder = new Tiktoken(o200k);
  const tokensOf = (text: string) => encoder.encode(text).length;
  const site = await startViewSite();
  // Our own pages, and as root there is no sandbox.
  const browser = await chromium.launch({ executablePath: path, chromiumSandbox: process.getuid?.() !== 0 });
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
    const cdp = await page.context().newCDPSession(page);
    const dom = createDom({ page, cdp: async () => cdp });
    await dom.mask(soon());
    const show = (name: string) => page.goto(`${site.url}/${name}`, { waitUntil: 'load' });

    await show('hard');
    const hard = { ours: await wholeView(dom), playwright: await page.ariaSnapshot({ mode: 'ai' }) };
    const judged = (text: string) => ({
      facts: facts.filter(({ shows }) => shows.test(text)).length,
      missing: facts.filter(({ shows }) => !shows.test(text)).map(({ fact }) => fact),
      secrets: secretsOfHardPage.filter((secret) => text.includes(secret)).length,
      unseen: unseenOfHardPage.filter((words) => text.includes(words)).length,
      tokens: tokensOf(text),
    });
    const figures = { of: facts.length, ours: judged(hard.ours), playwright: judged(hard.playwright) };

    const measure = async (name: string) => {
      await show(name);
      const tokens = {
        ours: tokensOf(await wholeView(dom)),
        playwright: tokensOf(await page.ariaSnapshot({ mode: 'ai' })),
      };
      const inView = await dom.view({ isInViewOnly: true }, soon());
      const times = await timesOf(page, dom, rounds);
      return {
        tokens,
        ratio: Math.round((tokens.ours / tokens.playwright) * 1000) / 1000,
        in_view_tokens: tokensOf(inView.text),
        ms: { ours: figuresOf(times.ours), playwright: figuresOf(times.playwright) },
        p95_ms: p95(times.ours),
      };
    };
    const big = { list: await measure('list'), table: await measure('table'), article: await measure('article') };
    dom.close();
    return { hard: figures, ...big };
  } finally {
    await browser.close();
    await site.close();
  }
}

const soon = () => startDeadline(lookMs, new AbortController().signal);

/** All portions of a view, one after the other. */
async function wholeView(dom: Dom): Promise<string> {
  const texts: string[] = [];
  for (let from: number | null = 0; from !== null; ) {
    const { text, next } = await dom.view({ from }, soon());
    texts.push(text);
    from = next;
  }
  return texts.join('\n');
}

/** In turns, so that a busy moment of the machine meets both. */
async function timesOf(page: Page, dom: Dom, rounds: number) {
  const times = { ours: [] as number[], playwright: [] as number[] };
  const timed = async (list: number[], work: () => Promise<unknown>) => {
    const begun = performance.now();
    await work();
    list.push(performance.now() - begun);
  };
  for (let round = 0; round < rounds; round += 1) {
    await timed(times.ours, () => dom.view({}, soon()));
    await timed(times.playwright, () => page.ariaSnapshot({ mode: 'ai' }));
  }
  return times;
}

const p95 = (times: number[]): number => {
  const sorted = times.toSorted((one, other) => one - other);
  return round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.95))] ?? Number.NaN);
};
