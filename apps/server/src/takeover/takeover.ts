// Begins and ends a takeover, of a task or of a session without one.

import { AppError, type GrantedTakeover } from '@pilothouse/contract';
import type { Append, Caller, DriverChange, Store, TakeoverRow, Tx } from '@pilothouse/store';
import { hashOf, newToken } from '../auth/tokens.ts';
import type { From } from '../http/call.ts';
import { createOwnTakeovers } from './own-takeover.ts';
import { createTakeoverReturn } from './return-takeover.ts';
import { createTakeoverParts, type TakeoverOptions } from './takeover-parts.ts';

export type TakeoverRequest = {
  sessionId: string;
  taskId: string | null;
  /** States of the task in which it is stopped at once. In any other state the agent stops it. */
  stops?: ('running' | 'awaiting_user')[];
  requestedBy?: string;
  reason?: string;
  leaseSecs?: number;
  clientId?: string;
  /** The person acts now: a takeover that they have requested already becomes this one. */
  isNow?: boolean;
  /** Throws if there is nothing to drive. Called once the session is locked. */
  check: (tx: Tx) => Promise<void>;
};
type Hastened = { row: TakeoverRow; isActive: boolean };
type NewTakeover = { row: TakeoverRow; fence: DriverChange | undefined };

const defaultLeaseSecs = 300;

export function createTakeovers(options: TakeoverOptions) {
  const parts = createTakeoverParts(options);
  const { store, audit, notifyHost, viewOwn } = parts;

  /** The person drives once the host has answered. If it does not, an agent activates the takeover later. */
  async function activate({ row, fence }: NewTakeover): Promise<TakeoverRow> {
    if (!fence || !(await notifyHost(fence, { isPerson: true }))) return row;
    const active = await store.change(row.session_id, (tx, append) =>
      store.takeovers.activate(tx, append, row.id, fence.epoch),
    );
    return active ?? (await store.takeovers.standingOf(row.session_id)) ?? row;
  }

  async function stop(tx: Tx, append: Append, row: TakeoverRow, from: TakeoverRequest['stops']): Promise<NewTakeover> {
    const fence = from || !row.task_id ? await store.takeovers.stop(tx, append, row, { from }) : undefined;
    return { row, fence };
  }

  return {
    /** Refuses if a takeover of the session stands, unless it is the caller's own and they want it now. */
    async request(caller: Caller, request: TakeoverRequest, from: From): Promise<GrantedTakeover> {
      const { sessionId, taskId, stops, requestedBy, reason = null, leaseSecs = defaultLeaseSecs, clientId } = request;
      const token = newToken('takeover');
      const about = { sessionId, taskId, holderId: caller.id, requestedBy, reason, leaseSecs, clientId };
      const { isNew, ...takeover } = await store.change(sessionId, async (tx, append) => {
        await request.check(tx);
        const row = await store.takeovers.request(tx, append, { ...about, tokenHash: hashOf(token) });
        const own = row ? undefined : await hasten(store, { tx, append }, caller, request);
        if (own?.isActive) return { row: own.row, fence: undefined, isNew: false };
        const wanted = row ?? own?.row;
        if (!wanted)
          throw new AppError('takeover_conflict', { detail: 'Another person drives this session, or has asked to.' });
        await audit(tx, row ? 'takeover_requested' : 'takeover_hastened', wanted, caller, from);
        return { ...(await stop(tx, append, wanted, stops)), isNew: row !== undefined };
      });
      const granted = await viewOwn(await activate(takeover));
      // The token of a takeover that stood before was shown when it was requested.
      return isNew ? { ...granted, resume_token: token } : granted;
    },

    ...createOwnTakeovers(parts),
    ...createTakeoverReturn(parts),
  };
}
export type Takeovers = ReturnType<typeof createTakeovers>;

/** The caller's own takeover that stands already, requested or active, for a caller who wants it now. */
async function hasten(
  store: Store,
  { tx, append }: { tx: Tx; append: Append },
  caller: Caller,
  request: TakeoverRequest,
): Promise<Hastened | undefined> {
  const { sessionId, taskId, reason = null, clientId, isNow } = request;
  if (!isNow || taskId === null) return undefined;
  const wanted = { sessionId, taskId, holderId: caller.id, reason, clientId };
  const row = await store.takeovers.hasten(tx, append, wanted);
  if (row) return { row, isActive: false };
  const standing = await store.takeovers.standing(tx, sessionId);
  const isMine = standing?.holder_id === caller.id && standing.task_id === taskId;
  return isMine && standing.status === 'active' ? { row: standing, isActive: true } : undefined;
}
