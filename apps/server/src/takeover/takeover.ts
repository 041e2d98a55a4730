// Begins and ends a takeover, of a task or of a session without one.

import { AppError, type GrantedTakeover, type ResumeRequest, type Takeover } from '@pilothouse/contract';
import { type HostClient, holdOf, leftByPerson } from '@pilothouse/fleet';
import {
  type Append,
  type Caller,
  type DriverChange,
  type Store,
  type TakeoverRow,
  type Tx,
  takeoverOf,
} from '@pilothouse/store';
import { hashOf, newToken } from '../auth/tokens.ts';
import type { From } from '../http/call.ts';

type Options = { store: Store; hosts: HostClient };
export type TakeoverRequest = {
  sessionId: string;
  taskId: string | null;
  /** States of the task in which it is stopped at once. In any other state the agent stops it. */
  stops?: ('running' | 'awaiting_user')[];
  requestedBy?: string;
  reason?: string;
  leaseSecs?: number;
  /** Throws if there is nothing to drive. Called once the session is locked. */
  check: (tx: Tx) => Promise<void>;
};
type NewTakeover = { row: TakeoverRow; fence: DriverChange | undefined };

const defaultLeaseSecs = 300;
/** The caller waits for this. If the host takes longer, an agent does the rest. */
const takeMs = 2500;
const lookMs = 1000;

export function createTakeovers({ store, hosts }: Options) {
  const audit = (tx: Tx, event: string, row: TakeoverRow, caller: Caller, { address }: From) => {
    const data = { takeover_id: row.id, session_id: row.session_id, task_id: row.task_id };
    return store.audit.add({ event, outcome: 'success', userId: caller.id, address, data }, tx);
  };

  /** True once nothing that began under an older epoch goes on at the host. */
  async function notifyHost(fence: DriverChange, { isPerson }: { isPerson: boolean }): Promise<boolean> {
    const result = await hosts.take(holdOf(fence), { isPerson, timeoutMs: takeMs });
    return result.type === 'done';
  }

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

  /** For a task that still asks a question: its log says what the person left in the browser. */
  async function describe(row: TakeoverRow, fence: DriverChange): Promise<void> {
    const look = await hosts.look(holdOf(fence), { timeoutMs: lookMs });
    if (look.type !== 'done') return;
    const left = leftByPerson(look.reply);
    await store.change(row.session_id, (_tx, append) => store.takeovers.describe(append, row, left));
  }

  return {
    /** Refuses if another takeover of the session stands. */
    async request(caller: Caller, request: TakeoverRequest, from: From): Promise<GrantedTakeover> {
      const { sessionId, taskId, stops, requestedBy, reason = null, leaseSecs = defaultLeaseSecs, check } = request;
      const token = newToken('takeover');
      const about = { sessionId, taskId, holderId: caller.id, requestedBy, reason, leaseSecs };
      const takeover = await store.change(sessionId, async (tx, append) => {
        await check(tx);
        const row = await store.takeovers.request(tx, append, { ...about, tokenHash: hashOf(token) });
        if (!row)
          throw new AppError('takeover_conflict', { detail: 'Another person drives this session, or has asked to.' });
        await audit(tx, 'takeover_requested', row, caller, from);
        return stop(tx, append, row, stops);
      });
      return { ...takeoverOf(await activate(takeover)), resume_token: token };
    },

    /** By the holder, or by a caller with its token. Repeated while the takeover is ending, it is the same answer. */
    async giveBack(
      caller: Caller,
      { sessionId, taskId }: { sessionId: string; taskId?: string },
      { resume_token, note = null }: { resume_token?: string; note?: ResumeRequest['note'] | null },
      from: From,
    ): Promise<Takeover> {
      const back = await store.change(sessionId, async (tx, append) => {
        const row = await store.takeovers.standing(tx, sessionId);
        if (!row || (taskId !== undefined && row.task_id !== taskId))
          throw new AppError('conflict', { detail: 'No person drives this session.' });
        if (!mayGiveBack(row, caller, resume_token))
          throw new AppError('takeover_conflict', {
            detail: 'Only the person who drives, or the holder of the takeover token, can hand control back.',
          });
        const given = await store.takeovers.giveBack(tx, append, row, { outcome: 'resumed', note });
        if (!given) return { takeover: row, fence: undefined };
        await audit(tx, 'takeover_resumed', row, caller, from);
        return given;
      });
      // If the host does not answer, an agent tells it.
      const isHeard = back.fence !== undefined && (await notifyHost(back.fence, { isPerson: false }));
      if (isHeard && back.fence && back.takeover.status === 'ended' && back.takeover.task_id !== null)
        await describe(back.takeover, back.fence);
      return takeoverOf(back.takeover);
    },
  };
}
export type Takeovers = ReturnType<typeof createTakeovers>;

/** A token that is sent must be the right one, also from the holder. */
const mayGiveBack = ({ holder_id, token_hash }: TakeoverRow, caller: Caller, token: string | undefined): boolean =>
  token === undefined ? holder_id === caller.id : hashOf(token).equals(token_hash);
