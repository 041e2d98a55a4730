// A person takes over: the takeover, its task, its session and the epoch of its browser move together, in one change of
// the session. Call each inside `store.change`, with its `append`.

import { taskMoves } from '@pilothouse/contract';
import { now } from '../db/clock.ts';
import type { Tx } from '../db/db.ts';
import type { createPlacement, DriverChange } from '../fleet/placement.ts';
import type { Append } from '../sessions/change.ts';
import type { NewTakeover, TakeoverRow, TakeoverRows } from '../takeovers/takeovers.ts';
import { clocksOf } from '../tasks/task-clock.ts';
import type { TaskHold } from '../tasks/task-execution.ts';
import { wakeTaskOf } from '../tasks/task-queue.ts';
import type { TaskRow } from '../tasks/tasks.ts';
import type { TakeoverEvents } from './takeover-events.ts';

type Options = {
  takeovers: TakeoverRows;
  browsers: Pick<ReturnType<typeof createPlacement>, 'at' | 'fence'>;
  events: TakeoverEvents;
};
/** Which task may be stopped: by default in every state from which a task can be taken, and of any execution. */
type StopCondition = { from?: readonly TaskRow['status'][]; executionId?: string };

export function createTakeoverRequests({ takeovers, browsers, events }: Options) {
  /** The browser was opened again while the person drives. */
  async function follow(tx: Tx, append: Append, id: string, epoch: number): Promise<void> {
    const row = await takeovers.follow(tx, id, epoch);
    if (!row) return;
    await events.takeoverChanged(append, row);
    await events.log(append, row, 'The browser was lost during the takeover, and is open again.');
  }

  return {
    /** Undefined if the session has one already. A task that waits for a clock or a browser looks now, and hands over. */
    async request(tx: Tx, append: Append, takeover: NewTakeover): Promise<TakeoverRow | undefined> {
      const row = await takeovers.create(tx, takeover);
      if (row) await events.takeoverChanged(append, row);
      if (row) await wakeTaskOf(tx, row.session_id);
      return row;
    },

    /**
     * Stops the present driver, under a new epoch. The task becomes the person's; nothing happens if it is in none of
     * the states, or not with this execution. The person drives once the host has heard of the epoch (`activate`); if
     * no host holds the browser, an agent opens it first.
     */
    async stop(
      tx: Tx,
      append: Append,
      row: TakeoverRow,
      condition: StopCondition = {},
    ): Promise<DriverChange | undefined> {
      if (row.task_id) {
        const task = await takeTask(tx, row.task_id, condition);
        if (!task) return undefined;
        await events.taskChanged(append, task);
      }
      const fence = await browsers.fence(tx, row.session_id);
      if (fence) await takeovers.setEpoch(tx, row.id, fence.epoch);
      return fence;
    },

    /** The person drives from now on. Undefined if the takeover is no longer requested, or the browser is elsewhere. */
    async activate(tx: Tx, append: Append, id: string, epoch: number): Promise<TakeoverRow | undefined> {
      const row = await takeovers.activate(tx, id, epoch);
      if (!row) return undefined;
      await events.moveSession(tx, append, row.session_id, 'take');
      await events.takeoverChanged(append, row);
      const because = row.reason === null ? '' : `: ${row.reason}`;
      await events.log(append, row, `A person has taken over (${row.requested_by})${because}`);
      return row;
    },

    /**
     * A task begins while a takeover of its session is requested or active: from now on it is a takeover of the task.
     */
    async adopt(tx: Tx, append: Append, row: TakeoverRow, { id, executionId }: TaskHold) {
      const adopted = await takeovers.adopt(tx, row.id, id);
      if (!adopted || adopted.status === 'requested') return adopted;
      const task = await takeTask(tx, id, { from: ['running'], executionId });
      if (!task) return undefined;
      await events.taskChanged(append, task);
      await events.takeoverChanged(append, adopted);
      await events.log(append, adopted, `A person has taken over (${adopted.requested_by})`);
      return adopted;
    },

    /**
     * An epoch that is the person's alone, for the agent that opened their browser and tells its host: under any other
     * epoch an agent might act, and the host would take it for the person. Returns the person's present epoch if it is
     * still the browser's; undefined if the browser's epoch has changed since it was `seen`.
     */
    async claim(tx: Tx, append: Append, row: TakeoverRow, seen: number): Promise<DriverChange | undefined> {
      const present = await browsers.at(tx, row.session_id);
      if (!present || present.epoch === row.epoch) return present;
      if (present.epoch !== seen) return undefined;
      const fence = await browsers.fence(tx, row.session_id);
      if (fence && row.status === 'requested') await takeovers.setEpoch(tx, row.id, fence.epoch);
      if (fence && row.status === 'active') await follow(tx, append, row.id, fence.epoch);
      return fence;
    },
  };
}

/** The task becomes the person's; undefined if its state or its execution does not allow it. */
const takeTask = (
  tx: Tx,
  id: string,
  { from = taskMoves.take.from, executionId }: StopCondition,
): Promise<TaskRow | undefined> =>
  tx.db
    .updateTable('tasks')
    .set({ status: 'takeover', updated_at: now, ...clocksOf('takeover') })
    .where('id', '=', id)
    .where('status', 'in', [...from])
    .$if(executionId !== undefined, (update) => update.where('execution_id', '=', executionId ?? ''))
    .returningAll()
    .executeTakeFirst();
