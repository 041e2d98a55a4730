// What an agent sees of a session: a picture of the page in front, and what can be done on it. What a person typed
// stays out.

import type { Observation, Picture, View } from '@pilothouse/bus';
import type { Page } from 'playwright-core';
import { type Deadline, within } from '../common/deadline.ts';
import { StepFailure } from '../common/failure.ts';
import type { Dom } from '../dom/dom.ts';
import type { ViewOptions } from '../dom/view.ts';
import { type Privacy, strictest } from '../live/privacy.ts';
import type { Screencast } from '../live/screencast.ts';
import { type Shot, takeShot } from '../live/screenshot.ts';
import type { Dialogs } from '../pages/dialogs.ts';
import type { PageLocation, Pages } from '../pages/pages.ts';
import { originOf } from '../state/origin.ts';

type Options = {
  sessionId: string;
  pages: Pages;
  dialogs: Dialogs;
  screencast: Screencast;
  privacy: Privacy;
  epoch: () => number;
  eyesOf: (page: Page) => Dom;
};

const maskMs = 1000;

export type Snapshot = { picture: Picture; image: Uint8Array };

export type Observer = ReturnType<typeof createObserver>;

export function createObserver({ sessionId, pages, dialogs, screencast, privacy, epoch, eyesOf }: Options) {
  /** For a page that gives no picture, because it has a dialog open or hangs. */
  const last = new WeakMap<Page, Shot>();

  async function describe(shot: Shot, deadline: Deadline): Promise<Snapshot> {
    const { page, image, width, height } = shot;
    const private_reason = strictest(shot.privateReason, privacy.reasonOf(page));
    // The driver when it was taken: another may drive by now.
    const view = { private: private_reason !== undefined, private_reason, epoch: shot.epoch ?? epoch() };
    const focuses_secret_field = privacy.focusesSecretField(page) || undefined;
    const route = { session: sessionId, page: pages.id(page), frame: null, ...(await locationOf(page, deadline)) };
    const size = { content_type: 'image/jpeg', width, height, device_scale: 1 } as const;
    return { image, picture: { ...size, route, ...view, focuses_secret_field } };
  }

  /** A new picture of the page in front, or its last one where the page gives none in time. */
  async function takeSnapshot(deadline: Deadline): Promise<Snapshot> {
    const page = pages.current();
    const lastShot = () => screencast.latest() ?? last.get(page);
    const isStill = dialogs.of(page) !== null || pages.isCrashed(page);
    // A page that has only just been opened.
    if (!isStill) await privacy.masked(page, Math.min(maskMs, deadline.leftMs() / 4));
    const [before, under] = [privacy.reasonOf(page), epoch()];
    const shot = isStill ? lastShot() : await takeShot(pages, page, deadline).catch(lastShot);
    if (shot) {
      shot.privateReason = strictest(shot.privateReason, before, privacy.reasonOf(page));
      shot.epoch ??= under;
    }
    if (!shot) throw new StepFailure('timeout', 'the page gives no picture');
    last.set(page, shot);
    return describe(shot, deadline);
  }

  /** Only the site, where the address or the title may repeat what a person typed. */
  async function locationOf(page: Page, deadline: Deadline): Promise<PageLocation> {
    const hides = privacy.hidesPlace(page);
    const place = await pages.place(page, deadline);
    return hides || privacy.hidesPlace(page) ? siteOnly(place) : place;
  }

  /** For a page that does not answer. */
  function lastLocationOf(page: Page): PageLocation {
    const place = { url: page.url(), title: '' };
    return privacy.hidesPlace(page) ? siteOnly(place) : place;
  }

  return {
    takeSnapshot,
    locationOf,
    lastLocationOf,
    /** The last picture, where there is one; else a new one. */
    async latestSnapshot(deadline: Deadline): Promise<Snapshot> {
      const shot = screencast.latest();
      return shot ? describe(shot, deadline) : takeSnapshot(deadline);
    },
    ...createReading({ pages, dialogs, privacy, eyesOf, locationOf, lastLocationOf }),
  };
}

type Reading = Pick<Options, 'pages' | 'dialogs' | 'privacy' | 'eyesOf'> & {
  locationOf(page: Page, deadline: Deadline): Promise<PageLocation>;
  lastLocationOf(page: Page): PageLocation;
};

/** What is on the page in front, in words. While a person drives, that is private. */
function createReading({ pages, dialogs, privacy, eyesOf, locationOf, lastLocationOf }: Reading) {
  async function openPages(deadline: Deadline): Promise<Observation['pages']> {
    return Promise.all(
      pages.all().map(async (page) => {
        const place = await within(deadline, locationOf(page, deadline)).catch(() => lastLocationOf(page));
        return { page: pages.id(page), ...place, is_front: page === pages.current() };
      }),
    );
  }

  return {
    /** As one text for a model. */
    async view(options: ViewOptions, deadline: Deadline): Promise<View> {
      const page = pages.current();
      const dialog = dialogs.of(page);
      const isMute = dialog !== null || pages.isCrashed(page) || privacy.isDriven();
      const [place, open, portion] = await Promise.all([
        locationOf(page, deadline),
        openPages(deadline),
        isMute ? noView : eyesOf(page).view(options, deadline),
      ]);
      // A person may have begun to drive while the page was read.
      return { ...place, pages: open, dialog, ...(privacy.isDriven() ? noView : portion) };
    },
    async observe(from: number, wantsText: boolean, deadline: Deadline): Promise<Observation> {
      const page = pages.current();
      const dialog = dialogs.of(page);
      const isMute = dialog !== null || pages.isCrashed(page) || privacy.isDriven();
      const eyes = eyesOf(page);
      const [place, open, outline, text] = await Promise.all([
        locationOf(page, deadline),
        openPages(deadline),
        isMute ? nothing : eyes.outline(from, deadline),
        wantsText && !isMute ? eyes.text(deadline) : null,
      ]);
      return { ...place, pages: open, dialog, outline: outline.items, next: outline.next, text };
    },
  };
}

const nothing = { items: [], next: null };
const noView = { text: '', handles: [], shape_hash: '', next: null };

/** Paths, queries and titles may hold what a person typed. */
export function siteOnly({ url }: PageLocation): PageLocation {
  const origin = originOf(url);
  return { url: origin === undefined ? 'about:blank' : `${origin}/`, title: '' };
}
