// What a person does in the session that they drive, with what it needs of the session.

import { createInput, type PersonInput } from '../input/input.ts';
import { producesText } from '../input/produces-text.ts';
import type { Privacy } from '../live/privacy.ts';
import type { Screencast } from '../live/screencast.ts';
import type { DriverPrompts } from './driver-prompts.ts';
import type { PrivateTabs } from './private-tabs.ts';
import type { SessionPages } from './session-pages.ts';

type InputOptions = Pick<SessionPages, 'pages' | 'dialogs' | 'files' | 'sites' | 'documentsOf'> & {
  screencast: Screencast;
  privacy: Privacy;
  prompts: DriverPrompts;
  isHeld: () => boolean;
  openPrivate: PrivateTabs['open'];
};

/** What a person types makes the page private, and is to be seen at once. */
export function createPersonInput(options: InputOptions): PersonInput {
  const { pages, dialogs, files, sites, documentsOf, screencast, privacy, prompts, isHeld, openPrivate } = options;
  return createInput({
    pages,
    sites,
    documentsOf,
    dialog() {
      const page = pages.current();
      const answer = async (accept: boolean, text?: string) => void (await dialogs.answer(page, accept, text));
      const id = prompts.dialogs.idOf(page);
      return dialogs.of(page) ? { id, accept: (text) => answer(true, text), dismiss: () => answer(false) } : undefined;
    },
    fields: prompts.fields,
    openPrivate,
    fileCalled: files.called,
    isHeld,
    onChooser: prompts.view.changed,
    onTouch(input) {
      screencast.touch();
      if (producesText(input)) privacy.typed(pages.current());
    },
  });
}
