// From the start of a navigation to what a person sees of the console.
import { chromium } from 'playwright-core';
import { figuresOf } from '../../testkit/percentiles.ts';
import { shell, viewport } from './viewer.ts';

/** Wide enough for a machine that is busy. */
const shownWithinMs = 30_000;
const shellShown = 'nav[aria-label=Main]';
const pictureShown = '[data-testid=picture][data-frame]';

/** The server is warm. `first` has an empty cache, `again` is the same browser a second time. */
export async function measureFirstViews(baseUrl: string, sessionId: string, count: number) {
  const browser = await chromium.launch({ executablePath: shell, chromiumSandbox: process.getuid?.() !== 0 });
  const took = {
    shell: { first: [] as number[], again: [] as number[] },
    session: { first: [] as number[], again: [] as number[] },
  };
  const visits = { shell: ['/', shellShown], session: [`/sessions/${sessionId}`, pictureShown] } as const;
  try {
    for (let index = -1; index < count; index += 1) {
      for (const kind of ['shell', 'session'] as const) {
        const [path, selector] = visits[kind];
        const context = await browser.newContext({ viewport });
        await context.addInitScript({ content: `(${watchFor})(${JSON.stringify(selector)})` });
        for (const visit of ['first', 'again'] as const) {
          const page = await context.newPage();
          await page.goto(`${baseUrl}${path}`);
          const ms = await page.evaluate<number>(`shownWithin(${shownWithinMs})`);
          // Not counted: the first of each warms the server.
          if (index >= 0) took[kind][visit].push(ms);
          await page.close();
        }
        await context.close();
      }
    }
  } finally {
    await browser.close();
  }
  const both = ({ first, again }: (typeof took)['shell']) => ({ first: figuresOf(first), again: figuresOf(again) });
  return { shell: both(took.shell), session_picture: both(took.session) };
}

/** Runs in the page before its scripts: looks at each animation frame, and notes the time since the navigation began. */
const watchFor = `(selector) => {
  const shown = Promise.withResolvers();
  const look = () => {
    const element = document.querySelector(selector);
    if (element && element.getClientRects().length > 0) shown.resolve(performance.now());
    else requestAnimationFrame(look);
  };
  look();
  window.shownWithin = (ms) => {
    const late = setTimeout(() => shown.reject(new Error('not shown within ' + ms + ' ms: ' + selector)), ms);
    return shown.promise.finally(() => clearTimeout(late));
  };
}`;
