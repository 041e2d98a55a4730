// Taking the wheel and giving it back, of a task or of a session without one.

import { AppError, type GrantedTakeover, type ResumeRequest, type Takeover } from '@pilothouse/contract';
import {
  type Append,
  type Caller,
  type Fence,
  type Store,
  type TakeoverRow,
  type Tx,
  takeoverOf,
  type Work,
} from '@pilothouse/store';
import { hashOf, newToken } from '../auth/tokens.ts';
import type { From } from '../http/serve.ts';
import type { LookAfter, TellDriver } from './tell-driver.ts';

type Parts = { store: Store; work: Work; tellDriver: TellDriver; lookAfter: LookAfter };
type Wanted = {
  sessionId: string;
  taskId: string | null;
  /** What of the task may be stopped for it, right now; the rest is left to the agent. */
  stops?: ('running' | 'awaiting_user')[];
  requestedBy?: string;
  reason?: string;
  leaseSecs?: number;
  /** Throws where there is nothing to drive. Asked once the session is locked. */
  check: (tx: Tx) => Promise<void>;
};
type Stopped = { row: TakeoverRow; fence: Fence | undefined };

const usualLeaseSecs = 300;

export function createDriving({ store, work, tellDriver, lookAfter }: Parts) {
  const audit = (tx: Tx, event: string, row: TakeoverRow, caller: Caller, { address }: From) => {
    const data = { takeover_id: row.id, session_id: row.session_id, task_id: row.task_id };
    return store.audit.add({ event, outcome: 'success', userId: caller.id, address, data }, tx);
  };

  /** It is theirs when the host has heard it. Where it does not answer, an agent sees to it, and they are told by the stream. */
  async function activate({ row, fence }: Stopped): Promise<TakeoverRow> {
    if (!fence || !(await tellDriver(fence, { isPerson: true }))) return row;
    const active = await store.change(row.session_id, (tx, append) =>
      store.wheel.activate(tx, append, row.id, fence.epoch),
    );
    return active ?? (await store.takeovers.standingOf(row.session_id)) ?? row;
  }

  async function stop(tx: Tx, append: Append, row: TakeoverRow, from: Wanted['stops']): Promise<Stopped> {
    const fence = from || !row.task_id ? await store.wheel.stop(tx, append, row, { from }) : undefined;
    return { row, fence };
  }

  /** Of a task that still asks: whoever goes on with it reads in its log what was done. */
  async function describe(row: TakeoverRow, fence: Fence): Promise<void> {
    const left = await lookAfter(fence);
    if (left) await store.change(row.session_id, (tx, append) => store.wheel.describe(tx, append, row, left));
  }

  return {
    /** Refuses where somebody has it, or has asked for it. */
    async take(caller: Caller, wanted: Wanted, from: From): Promise<GrantedTakeover> {
      const { sessionId, taskId, stops, requestedBy, reason = null, leaseSecs = usualLeaseSecs, check } = wanted;
      const token = newToken('wheel');
      const stopped = await store.change(sessionId, async (tx, append) => {
        await check(tx);
        const asked = {
          sessionId,
          taskId,
          holderId: caller.id,
          requestedBy,
          reason,
          leaseSecs,
          tokenHash: hashOf(token),
        };
        const row = await store.wheel.request(tx, append, asked);
        if (!row)
          throw new AppError('takeover_conflict', { detail: 'The wheel is taken, or somebody has asked for it.' });
        await audit(tx, 'takeover_requested', row, caller, from);
        return stop(tx, append, row, stops);
      });
      return { ...takeoverOf(await activate(stopped)), resume_token: token };
    },

    /** By who has it, or by who shows its token. Said again while it is on its way back, it is the same answer. */
    async giveBack(
      caller: Caller,
      { sessionId, taskId }: { sessionId: string; taskId?: string },
      { resume_token, note = null }: { resume_token?: string; note?: ResumeRequest['note'] | null },
      from: From,
    ): Promise<Takeover> {
      const back = await store.change(sessionId, async (tx, append) => {
        const row = await store.takeovers.standing(tx, sessionId);
        if (!row || (taskId !== undefined && row.task_id !== taskId))
          throw new AppError('conflict', { detail: 'Nobody has the wheel.' });
        if (!isTheirs(row, caller, resume_token))
          throw new AppError('takeover_conflict', {
            detail: 'Only who has the wheel, or its token, can give it back.',
          });
        const given = await store.wheel.giveBack(tx, append, row, { outcome: 'resumed', note });
        if (!given) return { takeover: row, fence: undefined };
        if (given.task) await work.signal(tx, given.task);
        await audit(tx, 'takeover_resumed', row, caller, from);
        return given;
      });
      // Where it is not heard, an agent says it.
      const isHeard = back.fence !== undefined && (await tellDriver(back.fence, { isPerson: false }));
      if (isHeard && back.fence && back.takeover.status === 'ended' && back.takeover.task_id !== null)
        await describe(back.takeover, back.fence);
      return takeoverOf(back.takeover);
    },
  };
}
export type Driving = ReturnType<typeof createDriving>;

/** A token that was given must be the right one, whoever gives it. */
const isTheirs = ({ holder_id, token_hash }: TakeoverRow, caller: Caller, token: string | undefined): boolean =>
  token === undefined ? holder_id === caller.id : hashOf(token).equals(token_hash);
