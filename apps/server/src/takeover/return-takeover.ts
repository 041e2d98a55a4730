// Hands a takeover back.

import { AppError, type ResumeRequest, type Takeover } from '@pilothouse/contract';
import { holdOf, leftByPerson } from '@pilothouse/fleet';
import { type Caller, type DriverChange, type TakeoverRow, takeoverOf } from '@pilothouse/store';
import { hashOf } from '../auth/tokens.ts';
import type { From } from '../http/call.ts';
import type { TakeoverParts } from './takeover-parts.ts';

const lookMs = 1000;

export function createTakeoverReturn({ store, hosts, audit, notifyHost }: TakeoverParts) {
  /** For a task that still asks a question: its log says what the person left in the browser. */
  async function describe(row: TakeoverRow, fence: DriverChange): Promise<void> {
    const look = await hosts.look(holdOf(fence), { timeoutMs: lookMs });
    if (look.type !== 'done') return;
    const left = leftByPerson(look.reply);
    await store.change(row.session_id, (_tx, append) => store.takeovers.describe(append, row, left));
  }

  return {
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

/** A token that is sent must be the right one, also from the holder. */
const mayGiveBack = ({ holder_id, token_hash }: TakeoverRow, caller: Caller, token: string | undefined): boolean =>
  token === undefined ? holder_id === caller.id : hashOf(token).equals(token_hash);
