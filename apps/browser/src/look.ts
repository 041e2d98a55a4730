// The page as it looks: a picture of it, and what can be done on it.

import type { Observation, Picture } from '@pilothouse/bus';
import type { Page } from 'playwright-core';
import { type Deadline, within } from './deadline.ts';
import type { Dialogs } from './dialogs.ts';
import type { Eyes } from './eyes/eyes.ts';
import { StepFailure } from './failure.ts';
import type { Pages } from './pages.ts';
import { type Shot, takeShot } from './picture.ts';
import type { Privacy } from './privacy.ts';
import type { Screencast } from './screencast.ts';

type Parts = {
  sessionId: string;
  pages: Pages;
  dialogs: Dialogs;
  screencast: Screencast;
  privacy: Privacy;
  epoch: () => number;
  eyesOf: (page: Page) => Eyes;
};

export type Seen = { picture: Picture; image: Uint8Array };

export function createLook({ sessionId, pages, dialogs, screencast, privacy, epoch, eyesOf }: Parts) {
  /** For a page that gives no picture, because it asks something or hangs. */
  const last = new WeakMap<Page, Shot>();

  async function describe(shot: Shot, deadline: Deadline): Promise<Seen> {
    // Under whom it was seen: another may have taken the wheel since.
    const seen = { private: shot.isPrivate || privacy.isPrivate(shot.page), epoch: shot.epoch ?? epoch() };
    const place = await pages.place(shot.page, deadline);
    const { image, width, height } = shot;
    const route = { session: sessionId, page: pages.id(shot.page), frame: null, ...place };
    return { image, picture: { content_type: 'image/jpeg', width, height, device_scale: 1, route, ...seen } };
  }

  /** A new picture of the page in front, or the last one there was where the page gives none in time. */
  async function shoot(deadline: Deadline): Promise<Seen> {
    const page = pages.current();
    const kept = () => screencast.latest() ?? last.get(page);
    const isStill = dialogs.of(page) !== null || pages.isCrashed(page);
    const [wasPrivate, under] = [privacy.isPrivate(page), epoch()];
    const shot = isStill ? kept() : await takeShot(pages, page, deadline).catch(kept);
    if (shot) {
      shot.isPrivate ||= wasPrivate || privacy.isPrivate(page);
      shot.epoch ??= under;
    }
    if (!shot) throw new StepFailure('timeout', 'the page gives no picture');
    last.set(page, shot);
    return describe(shot, deadline);
  }

  return {
    shoot,
    /** The picture there is, without waiting for another. */
    async glance(deadline: Deadline): Promise<Seen> {
      const shot = screencast.latest();
      return shot ? describe(shot, deadline) : shoot(deadline);
    },
    async observe(from: number, wantsText: boolean, deadline: Deadline): Promise<Observation> {
      const page = pages.current();
      const dialog = dialogs.of(page);
      // While a person drives, what is on the page is theirs.
      const isMute = dialog !== null || pages.isCrashed(page) || privacy.isDriven();
      const eyes = eyesOf(page);
      const [place, open, outline, text] = await Promise.all([
        pages.place(page, deadline),
        openPages(deadline),
        isMute ? nothing : eyes.outline(from, deadline),
        wantsText && !isMute ? eyes.text(deadline) : null,
      ]);
      return { ...place, pages: open, dialog, outline: outline.items, next: outline.next, text };
    },
  };

  async function openPages(deadline: Deadline): Promise<Observation['pages']> {
    return Promise.all(
      pages.all().map(async (page) => {
        const place = await within(deadline, pages.place(page, deadline)).catch(() => ({ url: page.url(), title: '' }));
        return { page: pages.id(page), ...place, is_front: page === pages.current() };
      }),
    );
  }
}

const nothing = { items: [], next: null };
