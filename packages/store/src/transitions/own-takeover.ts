// What a person changes in a takeover of their own while it stands. Call each inside `store.change`, with its `append`.

import type { Tx } from '../db/db.ts';
import type { Append } from '../sessions/change.ts';
import type { Hastening, OwnTakeover, TakeoverRow, TakeoverRows } from '../takeovers/takeovers.ts';
import type { TakeoverEvents } from './takeover-events.ts';

type Options = { takeovers: TakeoverRows; events: TakeoverEvents };

export function createOwnTakeovers({ takeovers, events }: Options) {
  return {
    /** A takeover that the same person has requested, and wants now: `stop` follows. Undefined if there is none. */
    async hasten(tx: Tx, append: Append, wanted: Hastening): Promise<TakeoverRow | undefined> {
      const row = await takeovers.hasten(tx, wanted);
      if (row) await events.takeoverChanged(append, row);
      return row;
    },

    /** The person goes on in this window. Undefined if they do not hold the takeover. */
    async setClient(tx: Tx, append: Append, own: OwnTakeover, clientId: string): Promise<TakeoverRow | undefined> {
      const row = await takeovers.setClient(tx, own, clientId);
      if (row) await events.takeoverChanged(append, row);
      return row ?? takeovers.ownWith(tx, own, clientId);
    },

    /** The person is there: the lease is renewed. Undefined if they do not drive. */
    async confirm(tx: Tx, append: Append, own: OwnTakeover): Promise<TakeoverRow | undefined> {
      const row = await takeovers.confirm(tx, own);
      if (row) await events.takeoverChanged(append, row);
      return row;
    },
  };
}
