// Asks a host what the page in front shows. Read only: it does nothing in the page and needs no epoch.

import type { Bus, Dialog } from '@pilothouse/bus';
import { createHostClient, leftByPerson } from '@pilothouse/fleet';
import { storableText } from '@pilothouse/store';
import type { HostHold } from './handle.ts';

const lookMs = 5000;

export function createPageLook({ bus }: { bus: Bus }) {
  const hosts = createHostClient(bus);

  return {
    /** The open dialog of the page in front. */
    async dialog(sessionId: string, { hostId }: Pick<HostHold, 'hostId'>): Promise<Dialog | null> {
      const result = await hosts.observe({ sessionId, hostId }, { timeoutMs: lookMs });
      const dialog = result.type === 'done' ? result.reply.observation.dialog : null;
      return dialog && { ...dialog, message: storableText(dialog.message) };
    },

    /** The address of the page in front, where the host gives it, and the names of fields that the last person wrote into. */
    async look(
      sessionId: string,
      { hostId }: Pick<HostHold, 'hostId'>,
    ): Promise<{ url: string | null; written: string[] }> {
      const result = await hosts.look({ sessionId, hostId }, { timeoutMs: lookMs });
      return result.type === 'done' ? leftByPerson(result.reply) : { url: null, written: [] };
    },
  };
}
