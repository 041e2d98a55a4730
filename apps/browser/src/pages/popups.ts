// Which of the pages that pages open comes to the front: one that a touch asked for. The browser says whether its
// opener was touched a moment before, and which frame that was; it has to be of the origin that was meant to be touched.

import type { CDPSession, Page } from 'playwright-core';
import { bestEffort } from '../common/best-effort.ts';
import { type Deadline, startDeadline, within } from '../common/deadline.ts';
import { type DocumentsOf, isSameOrigin, lookApart, placeAmong } from '../dom/worlds/typing-target.ts';

/** A page that opens another and closes at once is still asked for. */
const rememberMs = 10_000;
/** A page that does not answer is touched all the same: then what its frames open stays behind. */
const attendMs = 300;

type Opener = {
  page: Page;
  /** How many pages were opened under a touch and have not come yet. */
  gestures: number;
  isTouched: boolean;
  /** The frame of the element that was touched; undefined where a person's hand decided. */
  frameId: string | undefined;
};

export type Popups = {
  /** Begins to hear of what this page opens; `frameId` is its own frame. */
  follow(page: Page, session: CDPSession, frameId: string): void;
  /** The same for a frame that has a process of its own, or for all such frames. */
  attend(page: Page, session: CDPSession | undefined): Promise<void>;
  /** A step or a person touches the page, in this frame. */
  touched(page: Page, frameId?: string): void;
  touchedFrame(page: Page): string | undefined;
  /** `ours`: no page opened it. `asked`: a touch asked for it. */
  kindOf(opened: CDPSession, deadline: Deadline): Promise<'ours' | 'asked' | 'unasked'>;
};

export function createPopups(documentsOf: DocumentsOf): Popups {
  /** By the browser's name of the page, which is that of its own frame. */
  const openers = new Map<string, Opener>();
  const ids = new WeakMap<Page, string>();
  const attended = new WeakSet<CDPSession>();
  const openerOf = (page: Page) => openers.get(ids.get(page) ?? '');

  function listen(opener: Opener, session: CDPSession): void {
    attended.add(session);
    session.on('Page.windowOpen', ({ userGesture }) => {
      if (userGesture) opener.gestures += 1;
    });
  }

  async function sessionsOf(page: Page): Promise<CDPSession[]> {
    const soon = startDeadline(attendMs, new AbortController().signal);
    const worlds =
      (await bestEffort('find the documents of the page that was touched', within(soon, documentsOf(page, soon)))) ??
      [];
    return worlds.map(({ session }) => session);
  }

  /** Whether the frame that opened it is the one that was touched, or one of the same origin. */
  async function isOfTouched({ page, frameId }: Opener, openerFrame: string, deadline: Deadline): Promise<boolean> {
    if (openerFrame === frameId) return true;
    const looks = await lookApart(page, documentsOf, deadline);
    if (!looks) return true;
    const touched = frameId ?? placeAmong(looks)?.world.frameId;
    const lookOf = (id: string | undefined) => looks.seen.find(({ world }) => world.frameId === id);
    return touched === openerFrame || isSameOrigin(lookOf(touched), lookOf(openerFrame));
  }

  return {
    follow(page, session, frameId) {
      const opener = { page, gestures: 0, isTouched: false, frameId: undefined };
      openers.set(frameId, opener);
      ids.set(page, frameId);
      listen(opener, session);
      page.once('close', () => setTimeout(() => openers.delete(frameId), rememberMs).unref());
    },
    async attend(page, session) {
      const opener = openerOf(page);
      if (!opener || (!session && page.frames().length === 1)) return;
      const sessions = session ? [session] : await sessionsOf(page);
      const unheard = [...new Set(sessions)].filter((one) => !attended.has(one));
      for (const one of unheard) listen(opener, one);
      // A frame that is gone opens nothing.
      await Promise.all(unheard.map((one) => bestEffort('follow a frame', one.send('Page.enable'))));
    },
    touched(page, frameId) {
      const opener = openerOf(page);
      if (opener) Object.assign(opener, { isTouched: true, frameId });
    },
    touchedFrame: (page) => openerOf(page)?.frameId,
    async kindOf(opened, deadline) {
      const { targetInfo } = await within(deadline, opened.send('Target.getTargetInfo'));
      const { openerId, openerFrameId } = targetInfo;
      if (openerId === undefined) return 'ours';
      const opener = openers.get(openerId);
      if (!opener?.isTouched || opener.gestures === 0 || openerFrameId === undefined) return 'unasked';
      opener.gestures -= 1;
      return (await isOfTouched(opener, openerFrameId, deadline)) ? 'asked' : 'unasked';
    },
  };
}
