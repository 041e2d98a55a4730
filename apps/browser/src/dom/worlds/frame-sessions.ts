// The ways to speak to the processes a page is made of: its own, and one for each frame that has its own.

import type { CDPSession, Frame, Page } from 'playwright-core';
import { bestEffort } from '../../common/best-effort.ts';
import { type Deadline, within } from '../../common/deadline.ts';

export type Sessions = {
  main(): Promise<CDPSession>;
  /** Those of frames. */
  others(deadline: Deadline): Promise<CDPSession[]>;
  close(): void;
};

type Options = { page: Page; cdp: () => Promise<CDPSession> };

export function openSessions({ page, cdp }: Options): Sessions {
  const open = new Map<Frame, Promise<CDPSession>>();
  let isClosed = false;

  /** Rejects for a frame that lives in the process of the document around it. */
  function sessionOf(frame: Frame): Promise<CDPSession> {
    const known = open.get(frame);
    if (known) return known;
    const opening = page.context().newCDPSession(frame);
    open.set(frame, opening);
    opening.then(
      (session) => {
        session.once('close', () => forget(frame, opening));
        if (isClosed) void bestEffort('detach from a frame', session.detach());
      },
      () => forget(frame, opening),
    );
    return opening;
  }

  function forget(frame: Frame, session: Promise<CDPSession>): void {
    if (open.get(frame) === session) open.delete(frame);
  }

  return {
    main: cdp,
    async others(deadline) {
      const frames = page.frames().filter((frame) => frame !== page.mainFrame());
      const found = await Promise.allSettled(frames.map((frame) => within(deadline, sessionOf(frame))));
      return found.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    },
    close() {
      isClosed = true;
      for (const opening of open.values())
        void bestEffort(
          'detach from a frame',
          opening.then((session) => session.detach()),
        );
      open.clear();
    },
  };
}
