// What one viewer may know of a session's view: open pages by the rule of frames, and what a page asks only if the viewer
// drives.

import type { SessionView } from '@pilothouse/bus';
import type { CopiedText, DriverView, OpenPage } from '@pilothouse/contract';
import { type Driver, maySee, privacyOf, type Viewer } from './withheld.ts';

export type SeenView = {
  pages: OpenPage[];
  driver_view: DriverView | null;
  /** `key` is another for each text. */
  copied: { key: string; text: CopiedText } | null;
};

type Seeing = { sessionId: string; driver: Driver | null; viewer: Viewer };

export function viewFor(view: SessionView, { sessionId, driver, viewer }: Seeing): SeenView {
  const { epoch } = view;
  const drives = maySee({ private: true, private_reason: 'driven' }, epoch, driver, { ...viewer, isOwner: false });
  const pages = view.pages.flatMap(
    ({ page, url, title, is_front, private_tab, open_to_program, trouble, ...said }): OpenPage[] => {
      const privacy = privacyOf(said, epoch === driver?.epoch);
      const access = { ...(private_tab && { private_tab }), ...(open_to_program && { open_to_program }) };
      const route = { session: sessionId, page, frame: null, active: is_front, ...access };
      if (maySee(privacy, epoch, driver, viewer)) return [{ ...route, url, title, ...(trouble && { trouble }) }];
      // How many pages a person opens is theirs, too.
      return privacy.private_reason === 'driven' ? [] : [{ ...route, url: null, title: null }];
    },
  );
  return {
    pages,
    driver_view: drives && view.driver ? { epoch, ...view.driver } : null,
    copied: drives && view.copied ? copiedOf(view.version, view.copied) : null,
  };
}

function copiedOf(version: string, { number, text, truncated }: NonNullable<SessionView['copied']>) {
  const [browser] = version.split(' ', 1);
  return { key: `${browser} ${number}`, text: { text, truncated } };
}
