// What the holder of a takeover changes while it stands: the window in which they drive, and how long it lasts.

import { isId, type Takeover, type TakeoverClientRequest, type TakeoverRenewal } from '@pilothouse/contract';
import type { Caller } from '@pilothouse/store';
import { notDriver } from './input-errors.ts';
import type { TakeoverParts } from './takeover-parts.ts';

export function createOwnTakeovers({ store, viewOwn }: TakeoverParts) {
  return {
    /** The caller goes on in this window: the host refuses what the former window sends from then on. */
    async setClient(
      caller: Caller,
      sessionId: string,
      { client_id: clientId, takeover_id }: TakeoverClientRequest,
    ): Promise<Takeover> {
      const own = ownTakeover(caller, sessionId, takeover_id);
      const row = await store.change(sessionId, (tx, append) => store.takeovers.setClient(tx, append, own, clientId));
      if (!row) throw notDriver();
      return viewOwn(row);
    },

    /** The caller says that they are there. */
    async renew(caller: Caller, sessionId: string, { takeover_id }: TakeoverRenewal): Promise<Takeover> {
      const own = ownTakeover(caller, sessionId, takeover_id);
      const row = await store.change(sessionId, (tx, append) => store.takeovers.confirm(tx, append, own));
      if (!row) throw notDriver();
      return viewOwn(row);
    },
  };
}

/** Throws for an id that names no takeover. */
function ownTakeover(caller: Caller, sessionId: string, id: string | undefined) {
  if (id !== undefined && !isId(id)) throw notDriver();
  return { sessionId, holderId: caller.id, id };
}
