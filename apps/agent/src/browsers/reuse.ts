// Whether the open browser of a session is used as it is, or given up first: for another policy, another user, or another host.

import { DomainPolicy } from '@pilothouse/bus';
import type { Store } from '@pilothouse/store';
import type { BrowserHandle } from './handle.ts';
import type { createOpenClose } from './open-close.ts';
import type { Row, Search } from './search.ts';

type Options = { store: Store } & Pick<ReturnType<typeof createOpenClose>, 'close' | 'setLive'>;

export function createReuse({ store, close, setLive }: Options) {
  /** Where no other host has room, the session stays: it may be done before its host ends. */
  async function beginMove(sessionId: string): Promise<string | undefined> {
    const claim = await store.moves.begin();
    if (claim === undefined || (await store.hosts.mostFree(sessionId)) !== undefined) return claim;
    await store.moves.end(claim);
    return undefined;
  }

  /** Undefined where the task may not use it as it is: then its host is asked to close it. */
  return async (search: Search, known: Row, hostId: string): Promise<BrowserHandle | undefined> => {
    const { session, mayYield = false, mayMove = false } = search;
    const handle = { hostId, epoch: known.epoch, openedEpoch: known.opened_epoch };
    const isYielded = mayYield && (await store.browserTurns.isOverShare(session.id));
    const mayBegin = mayMove && known.is_leaving && !isYielded && search.move === undefined;
    const move = mayBegin ? await beginMove(session.id) : undefined;
    search.move ??= move;
    if (!isYielded && move === undefined && isSamePolicy(known.reach, session.reach)) {
      // The agent that opened it may have died before it could write this.
      if (known.browser !== 'live') await setLive(session.id, handle);
      return handle;
    }
    if (!(await close(session.id, handle))) search.gone = known.epoch;
    return undefined;
  };
}

/** A browser that an older release opened has no policy in its row: it may reach everything. */
function isSamePolicy(current: unknown, required: DomainPolicy): boolean {
  const { allow, deny } = DomainPolicy.safeParse(current).data ?? { allow: null, deny: [] };
  return JSON.stringify([allow, deny]) === JSON.stringify([required.allow, required.deny]);
}
