// The sessions that this host holds: one slot each, and never more slots than the host has capacity for.

import { type HostCommand, type HostReply, type HostStatus, isEpochBeyond } from '@pilothouse/bus';
import { noLease, StepFailure, stale } from '../common/failure.ts';
import type { OpenCommand, SessionSlot } from './session-slot.ts';

type CloseCommand = Extract<HostCommand, { type: 'close' }>;

export type Slots = {
  count(): number;
  all(): SessionSlot[];
  /** Opens the session, or makes the epoch its driver where it is open already. */
  open(command: OpenCommand): Promise<void>;
  close(command: CloseCommand): Promise<HostReply>;
  /** Ends the browser at once if this epoch is newer than its own: another host has the session. */
  endOlder(session: { session_id: string; epoch: number }): void;
  status(): HostStatus['sessions'];
};

type Options = {
  capacity: number;
  /** Whether this host may act now. */
  isHeld: () => boolean;
  /** Starts a browser. `onFree` is called when nothing of it is left. */
  openSlot: (command: OpenCommand, onFree: () => void) => SessionSlot;
  /** Called after a slot became free. */
  onFree: () => void;
};

export function createSlots({ capacity, isHeld, openSlot, onFree }: Options): Slots {
  const slots = new Map<string, SessionSlot>();

  function take(command: OpenCommand): SessionSlot {
    if (slots.size >= capacity) throw new StepFailure('full', 'this host holds as many sessions as it can');
    const { session_id } = command;
    const slot = openSlot(command, () => {
      if (slots.get(session_id) === slot) slots.delete(session_id);
      onFree();
    });
    slots.set(session_id, slot);
    return slot;
  }

  async function open(command: OpenCommand): Promise<void> {
    let slot = slots.get(command.session_id);
    while (slot?.isEnding()) {
      await slot.close(command.epoch);
      slot = slots.get(command.session_id);
    }
    slot ??= take(command);
    const session = await slot.session;
    try {
      if ((await session.take(command.epoch)) === 'stale') throw stale();
    } catch (error) {
      // A browser whose former driver could not be stopped has been ended by now: a new one is opened.
      if (slots.get(command.session_id) === slot && !slot.isEnding()) throw error;
      if (!isHeld()) throw noLease();
      return open(command);
    }
    // A session that was open already may have been opened for another task.
    session.setReach(command.reach);
    await session.repair();
  }

  return {
    count: () => slots.size,
    all: () => [...slots.values()],
    open,
    async close({ session_id, epoch }) {
      const slot = slots.get(session_id);
      // A session that is not here is as good as closed.
      if (!slot) return { ok: true };
      if (epoch < slot.epoch() || isEpochBeyond(epoch, slot.epoch())) throw stale();
      const state = await slot.close(epoch);
      return state ? { ok: true, state } : { ok: true };
    },
    endOlder({ session_id, epoch }) {
      const slot = slots.get(session_id);
      if (slot && epoch > slot.epoch()) void slot.end('opened at another host');
    },
    status: () =>
      [...slots].map(([session_id, slot]) => {
        const { pages, isWatched, idleMs } = slot.usage();
        return { session_id, epoch: slot.epoch(), pages, is_watched: isWatched, idle_ms: idleMs };
      }),
  };
}
