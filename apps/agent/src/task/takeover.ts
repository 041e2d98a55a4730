// Takeovers between two steps of a task: the browser goes to the person who asked, and is taken back when they hand it back.

import type { Store } from '@pilothouse/store';
import type { Browsers } from '../browsers/browsers.ts';
import { TaskNotHeld, type TaskTurn } from '../ledger/turn.ts';
import type { Steps } from './steps.ts';

type Options = { store: Store; browsers: Browsers; steps: Steps };

export function createTakeover({ store, browsers, steps }: Options) {
  /** The person handed it back: looks at the page before anything is decided. */
  async function resume(turn: TaskTurn): Promise<void> {
    const { session } = turn;
    const handle = await steps.acquire(turn);
    const left = await browsers.look(session.id, handle);
    await store.change(session.id, async (tx, append) => {
      const standing = await store.takeovers.standing(tx, session.id);
      if (standing?.status === 'resuming') await store.takeovers.end(tx, append, standing, left);
    });
  }

  /** In two transactions: the person drives only after the host has stopped everything else. Any agent may do the second. */
  async function handOver(turn: TaskTurn): Promise<boolean> {
    const { session, task, executionId } = turn;
    // The person needs an open browser.
    await steps.acquire(turn);
    const stopped = await store.change(session.id, async (tx, append) => {
      const standing = await store.takeovers.standing(tx, session.id);
      const isWanted = standing?.status === 'requested';
      const mine = isWanted && (await store.takeovers.adopt(tx, append, standing, { id: task.id, executionId }));
      const fence = mine && (await store.takeovers.stop(tx, append, mine, { from: ['running'], executionId }));
      // The takeover, the task or the browser changed in this moment: the next tick looks again.
      if (!fence) throw new TaskNotHeld();
      return { id: mine.id, fence };
    });
    const { id, fence } = stopped;
    const handle = { hostId: fence.host_id, epoch: fence.epoch };
    if (await browsers.setDriver(session.id, handle, { isPerson: true }).catch(() => false))
      await store.change(session.id, (tx, append) => store.takeovers.activate(tx, append, id, fence.epoch));
    return true;
  }

  /** A person drove before the task began: the takeover becomes that of the task, and the browser stays as it is. */
  function join({ session, task, executionId }: TaskTurn): Promise<boolean> {
    return store.change(session.id, async (tx, append) => {
      const standing = await store.takeovers.standing(tx, session.id);
      const isDriven = standing?.status === 'active';
      if (!isDriven || !(await store.takeovers.adopt(tx, append, standing, { id: task.id, executionId })))
        throw new TaskNotHeld();
      return true;
    });
  }

  return {
    /** True where a person drives now, or is about to. The task is due when they hand it back. */
    async handle(turn: TaskTurn): Promise<boolean> {
      const standing = await store.takeovers.standingOf(turn.session.id);
      if (standing?.status === 'resuming') await resume(turn);
      if (standing?.status === 'requested') return handOver(turn);
      return standing?.status === 'active' && join(turn);
    },
  };
}
