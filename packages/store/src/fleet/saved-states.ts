// The state (cookies, storage, open pages) from which a session's browser is restored. Encrypted where a key is set.

import type { Selectable } from 'kysely';
import type { Tx } from '../db/db.ts';
import { columnsOf, type Sealer, sealedOf } from '../db/encryption.ts';
import type { Browsers } from '../db/generated.ts';
import type { createProfileLending } from '../sessions/profile-lending.ts';
import type { HostHold } from './host-hold.ts';

type Options = {
  encoding: StateEncoding;
  profiles: Pick<ReturnType<typeof createProfileLending>, 'writeBack'> & { isOn: boolean };
};

// A closed session is never resumed, and its state was removed when it was closed.
const saveText = (condition: string) => `
update browsers set state = $2, sealed_state = $3, key_id = $4
where session_id = $1 and exists (select from sessions s where s.id = browsers.session_id and s.status <> 'closed')
  and ${condition}
returning exists (select from profiles p where p.held_by = browsers.session_id) as has_profile`;
const saveAtEpoch = { name: 'browsers.saveState', text: saveText('epoch = $5') };
const saveOfHost = { name: 'browsers.keepState', text: saveText('epoch = $5 and host_id = $6') };
const saveParked = { name: 'browsers.keepParked', text: saveText('epoch = $5 and host_id is null') };

/** Which browser is meant, and what its statement is given for that. */
type Condition = { only: { name: string; text: string }; values: unknown[] };

export const savedColumns = ['state', 'sealed_state', 'key_id'] as const;
type SavedColumns = Pick<Selectable<Browsers>, (typeof savedColumns)[number]>;

export type StateEncoding = ReturnType<typeof createStateEncoding>;

/** Turns a state into columns and back. Cookies are credentials: where there is a key, they are encrypted. */
export function createStateEncoding(sealer: Sealer) {
  return {
    encode: (sessionId: string, state: object) =>
      sealer.canSeal
        ? { state: null, ...columnsOf(sealer.seal(state, stateContext(sessionId))) }
        : { state: storable(state), sealed_state: null, key_id: null },

    decode(sessionId: string, row: SavedColumns): object | null {
      const sealed = sealedOf(row);
      // Written by `encode`: an object or nothing.
      return sealed ? sealer.open(sealed, stateContext(sessionId)) : restored(row.state as object | null);
    },
  };
}

export function createSavedStates({ encoding, profiles }: Options) {
  /**
   * Saves to the session's row, and to the profile that the session holds. False if the conditions fail: nothing is
   * saved.
   */
  async function save(tx: Tx, sessionId: string, state: object, { only, values }: Condition): Promise<boolean> {
    const { state: plain, sealed_state, key_id } = encoding.encode(sessionId, state);
    const { rows } = await tx.client.query<{ has_profile: boolean }>({
      ...only,
      values: [sessionId, plain, sealed_state, key_id, ...values],
    });
    const [saved] = rows;
    if (saved?.has_profile && profiles.isOn) await profiles.writeBack(tx, sessionId, state);
    return saved !== undefined;
  }

  return {
    /** False, and nothing saved, under an epoch that is no longer the browser's. */
    saveState: (tx: Tx, sessionId: string, epoch: number, state: object): Promise<boolean> =>
      save(tx, sessionId, state, { only: saveAtEpoch, values: [epoch] }),

    /** Saves a state that a host sent; only from the host that holds the browser, under the browser's epoch. */
    keepState: (tx: Tx, sessionId: string, { hostId, epoch }: HostHold, state: object): Promise<boolean> =>
      save(tx, sessionId, state, { only: saveOfHost, values: [epoch, hostId] }),

    /** Saves the last state of a parked browser, unless a host has opened the browser again since. */
    keepParked: (tx: Tx, sessionId: string, epoch: number, state: object): Promise<boolean> =>
      save(tx, sessionId, state, { only: saveParked, values: [epoch] }),

    /** The state that a new session begins with, before any host has opened its browser. */
    async seed(tx: Tx, sessionId: string, state: object): Promise<void> {
      await tx.db
        .insertInto('browsers')
        .values({ session_id: sessionId, ...encoding.encode(sessionId, state) })
        .execute();
    },

    /** For a session that is closed. The profile that it wrote to keeps its copy. */
    async forgetState(tx: Tx, sessionId: string): Promise<void> {
      await tx.db
        .updateTable('browsers')
        .set({ state: null, sealed_state: null, key_id: null })
        .where('session_id', '=', sessionId)
        .execute();
    },

    /** Null before the first save. */
    async stateOf(tx: Tx, sessionId: string): Promise<object | null> {
      const row = await tx.db
        .selectFrom('browsers')
        .select(savedColumns)
        .where('session_id', '=', sessionId)
        .executeTakeFirst();
      return row ? encoding.decode(sessionId, row) : null;
    },
  };
}

/** Pages store any text, and jsonb does not accept all of it: no NUL, and no half of a surrogate pair. */
function storable(state: object): string {
  const text = JSON.stringify(state);
  return /\\u(0000|d[89a-f])/i.test(text) ? JSON.stringify({ encoded: Buffer.from(text).toString('base64') }) : text;
}
const restored = (stored: object | null): object | null =>
  stored && 'encoded' in stored ? JSON.parse(Buffer.from(String(stored.encoded), 'base64').toString()) : stored;

export const stateContext = (sessionId: string) => `session ${sessionId}`;
