// A context beside that of a session: it begins with what the session has stored, and what changed in it can be put back.
// Between the two nothing is shared but that: no page, worker or channel of one reaches the other.

import type { SavedState } from '@pilothouse/bus';
import type { BrowserContext, Cookie, Page } from 'playwright-core';
import type { Chromium, Viewport } from '../chromium/launch.ts';
import { bestEffort } from '../common/best-effort.ts';
import { type Deadline, within } from '../common/deadline.ts';
import { putLocalStorage } from '../dom/injected/put-local-storage.ts';
import { closePage } from '../pages/close-page.ts';
import { evaluateIsolated } from './isolated-read.ts';
import { type Origin, originOf } from './origin.ts';
import { openContextWith } from './restore.ts';
import { type Reading, readStorage, storageChanged } from './site-storage.ts';

const putMs = 500;
/** More sites than this are not put back: each takes a page. */
const maxSites = 20;
/** In seconds since 1970: a cookie with it is removed. */
const longAgo = 1;

export type Beside = {
  context: BrowserContext;
  /** Makes cookies and local storage of the session what they are here. Databases stay as they are. */
  putBack(reading: Reading): Promise<void>;
};

type Options = {
  chromium: Pick<Chromium, 'browser'>;
  viewport: Viewport;
  /** The context of the session. */
  main: BrowserContext;
  state: SavedState;
  /** A page in the context of the session that is not shown as one of its pages. */
  openUnseen: (deadline: Deadline) => Promise<Page>;
};

export async function openBeside(options: Options, deadline: Deadline): Promise<Beside> {
  const { chromium, viewport, main, state, openUnseen } = options;
  const coming = openContextWith(chromium, viewport, state);
  const { context, origins: given } = await within(deadline, coming).catch((error) => {
    void bestEffort(
      'close a context that came too late',
      coming.then((late) => late.context.close()),
    );
    throw error;
  });

  async function putSite({ origin, localStorage }: Origin, reading: Reading): Promise<void> {
    const deadline = reading.deadline.atMost(putMs);
    const shown = main.pages().find((page) => originOf(page.url()) === origin && !reading.isMute(page));
    const page = shown ?? (await blankPageOf(origin, await openUnseen(deadline), deadline));
    try {
      await within(deadline, evaluateIsolated(reading, page, origin, putLocalStorage, [origin, localStorage]));
    } finally {
      if (!shown) void bestEffort('close the page of a site', closePage(page));
    }
  }

  return {
    context,
    async putBack(reading) {
      const { cookies, origins } = await readStorage(context, reading);
      await within(reading.deadline, putCookies(main, cookies));
      const before = new Map(given.map((one) => [one.origin, JSON.stringify(one.localStorage)]));
      const emptied = given.filter(({ origin }) => !origins.some((one) => one.origin === origin));
      const changed = [...origins, ...emptied.map(({ origin }) => ({ origin, localStorage: [] }))].filter(
        ({ origin, localStorage }) => before.get(origin) !== JSON.stringify(localStorage),
      );
      for (const site of changed.slice(0, maxSites))
        await bestEffort('put the local storage of a site back', putSite(site, reading));
      storageChanged(main);
    },
  };
}

/** In one call, so that a cookie that cannot be set costs no other one: a login must not be lost between clearing and adding. */
async function putCookies(main: BrowserContext, cookies: Cookie[]): Promise<void> {
  const keyOf = ({ name, domain, path, partitionKey = '' }: Cookie) =>
    JSON.stringify([name, domain, path, partitionKey]);
  const kept = new Set(cookies.map(keyOf));
  const gone = (await main.cookies()).filter((cookie) => !kept.has(keyOf(cookie)));
  await main.addCookies([...cookies, ...gone.map((cookie) => ({ ...cookie, expires: longAgo }))]);
}

/** Nothing of the site itself is loaded or run. */
async function blankPageOf(origin: string, page: Page, deadline: Deadline): Promise<Page> {
  await within(
    deadline,
    page.route('**/*', (route) => route.fulfill({ contentType: 'text/html', body: '' })),
  );
  await page.goto(origin, { timeout: deadline.leftMs() });
  return page;
}
