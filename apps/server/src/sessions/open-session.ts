// Makes a session, with the browser state of its profile if it has one.

import { AppError, isId } from '@pilothouse/contract';
import { type Caller, newId, type Store, type Tx } from '@pilothouse/store';
import type { Quotas } from './quotas.ts';

type SessionRequest = {
  id?: string;
  title?: string;
  viewport?: { width: number; height: number };
  profile_id?: string;
  profile_label?: string;
  record?: boolean;
  /** How many tasks begin with it, for the quota. */
  tasks?: number;
};

const defaultViewport = { width: 1280, height: 720 };

export function createOpenSession({ store, quotas }: { store: Store; quotas: Quotas }) {
  /** Asked first, so that a state for which there is no room is not opened. */
  async function sizeOfProfile(
    tx: Tx,
    caller: Caller,
    { profile_id: id, profile_label: label }: SessionRequest,
  ): Promise<number | undefined> {
    if (!store.profiles.isOn || (id === undefined && label === undefined)) return undefined;
    return id === undefined || isId(id) ? store.profiles.sizeOf(tx, caller.id, { id, label }) : undefined;
  }

  async function lend(
    tx: Tx,
    caller: Caller,
    sessionId: string,
    { profile_id: id, profile_label: label }: SessionRequest,
  ) {
    const { isOn } = store.profiles;
    if (id === undefined && (label === undefined || !isOn)) return undefined;
    const isPossible = isOn && (id === undefined || isId(id));
    const lent = isPossible ? await store.profiles.lend(tx, caller.id, { id, label }, sessionId) : undefined;
    if (!lent) throw new AppError('not_found');
    return lent;
  }

  return async function openSession(tx: Tx, caller: Caller, request: SessionRequest) {
    const { id = newId(), title, viewport = defaultViewport, profile_id, profile_label, record, tasks } = request;
    const stateBytes = await sizeOfProfile(tx, caller, request);
    const isNewProfile =
      store.profiles.isOn && profile_id === undefined && profile_label !== undefined && stateBytes === undefined;
    await quotas.require(tx, caller, { sessions: 1, tasks, profiles: isNewProfile ? 1 : 0, stateBytes });
    const lent = await lend(tx, caller, id, request);
    const session = await store.sessions.create(tx, caller, {
      id,
      title,
      viewport,
      profileId: lent?.id,
      // Without profiles a label is only a name.
      profileLabel: lent?.label ?? profile_label,
      recording: record,
    });
    if (lent?.state) await store.browsers.seed(tx, id, lent.state);
    return session;
  };
}
export type OpenSession = ReturnType<typeof createOpenSession>;
