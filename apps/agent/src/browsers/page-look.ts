// Asks a host what the page in front shows. Read only: it does nothing in the page and needs no epoch.

import type { Bus, Dialog, View, Wait } from '@pilothouse/bus';
import {
  createHostClient,
  type HostResult,
  leftByPerson,
  type PageSeen,
  type RedactorOf,
  type SeeOptions,
} from '@pilothouse/fleet';
import { storableText } from '@pilothouse/store';
import type { HostHold } from './handle.ts';

const lookMs = 5000;

export function createPageLook({ bus, redactorOf }: { bus: Bus; redactorOf: RedactorOf }) {
  const hosts = createHostClient(bus);

  return {
    /**
     * The page in front as one text for a model. Ends with `unanswered` when the time is over or the signal aborts. A picture
     * that only its driver may see is left out.
     */
    async see(
      sessionId: string,
      { hostId }: Pick<HostHold, 'hostId'>,
      options: Wait & SeeOptions,
    ): Promise<HostResult<PageSeen>> {
      const result = await hosts.see({ sessionId, hostId }, options);
      if (result.type !== 'done') return result;
      const { view, picture, image } = result.reply;
      const shown = picture?.private ? { picture: null, image: new Uint8Array() } : { picture, image };
      const { words } = await redactorOf(sessionId);
      return { type: 'done', reply: { view: words(storableView(view)), ...shown } };
    },

    /** The open dialog of the page in front. */
    async dialog(sessionId: string, { hostId }: Pick<HostHold, 'hostId'>): Promise<Dialog | null> {
      const result = await hosts.observe({ sessionId, hostId }, { timeoutMs: lookMs });
      const dialog = result.type === 'done' ? result.reply.observation.dialog : null;
      if (!dialog) return null;
      const { words } = await redactorOf(sessionId);
      return words({ ...dialog, message: storableText(dialog.message) });
    },

    /** The address of the page in front, where the host gives it, and the names of fields that the last person wrote into. */
    async look(
      sessionId: string,
      { hostId }: Pick<HostHold, 'hostId'>,
    ): Promise<{ url: string | null; written: string[] }> {
      const result = await hosts.look({ sessionId, hostId }, { timeoutMs: lookMs });
      if (result.type !== 'done') return { url: null, written: [] };
      return (await redactorOf(sessionId)).words(leftByPerson(result.reply));
    },
  };
}

/** Pages choose their words, and PostgreSQL cannot store every character. */
function storableView(view: View): View {
  const place = <T extends { url: string; title: string }>(one: T): T => ({
    ...one,
    url: storableText(one.url),
    title: storableText(one.title),
  });
  const { dialog } = view;
  return {
    ...place(view),
    pages: view.pages.map(place),
    dialog: dialog && {
      ...dialog,
      message: storableText(dialog.message),
      default_value: storableText(dialog.default_value),
    },
    text: storableText(view.text),
    handles: view.handles.map((handle) => ({ ...handle, name: storableText(handle.name) })),
  };
}
