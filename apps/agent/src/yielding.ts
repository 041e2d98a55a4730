import type { Store } from '@pilothouse/store';
import type { Hands } from './hands.ts';
import type { Steps } from './step.ts';
import { Replaced, type Turn } from './turn.ts';

type Parts = { store: Store; hands: Hands; steps: Steps };

/** The wheel between two steps of an agent: given to who wants it, and taken up again where it was given back. */
export function createYielding({ store, hands, steps }: Parts) {
  /** Ours again: what the person left is looked at before anything is decided. */
  async function takeUp(turn: Turn): Promise<void> {
    const { session } = turn;
    const grip = await steps.grasp(turn);
    const left = await hands.left(session.id, grip);
    await store.change(session.id, async (tx, append) => {
      const standing = await store.takeovers.standing(tx, session.id);
      if (standing?.status === 'resuming') await store.wheel.end(tx, append, standing, left);
    });
  }

  /** In two moves, so that they have it only when nothing that anybody began here goes on; any agent makes the second. */
  async function give(turn: Turn): Promise<boolean> {
    const { session, task, executionId } = turn;
    // A person needs a browser.
    await steps.grasp(turn);
    const stopped = await store.change(session.id, async (tx, append) => {
      const standing = await store.takeovers.standing(tx, session.id);
      const isWanted = standing?.status === 'requested';
      const mine = isWanted && (await store.wheel.adopt(tx, append, standing, { id: task.id, executionId }));
      const fence = mine && (await store.wheel.stop(tx, append, mine, { from: ['running'], executionId }));
      // The wheel, the task or the browser was taken in this moment: the next tick looks again.
      if (!fence) throw new Replaced();
      return { id: mine.id, fence };
    });
    const { id, fence } = stopped;
    const grip = { hostId: fence.host_id, epoch: fence.epoch };
    if (await hands.take(session.id, grip, { isPerson: true }).catch(() => false))
      await store.change(session.id, (tx, append) => store.wheel.activate(tx, append, id, fence.epoch));
    return true;
  }

  /** Somebody drove before the task began: their browser stays as it is. */
  function join({ session, task, executionId }: Turn): Promise<boolean> {
    return store.change(session.id, async (tx, append) => {
      const standing = await store.takeovers.standing(tx, session.id);
      const isDriven = standing?.status === 'active';
      if (!isDriven || !(await store.wheel.adopt(tx, append, standing, { id: task.id, executionId })))
        throw new Replaced();
      return true;
    });
  }

  return {
    /** True where a person has the wheel now, or is about to: whoever gives it back sends a signal. */
    async meet(turn: Turn): Promise<boolean> {
      const standing = await store.takeovers.standingOf(turn.session.id);
      if (standing?.status === 'resuming') await takeUp(turn);
      if (standing?.status === 'requested') return give(turn);
      return standing?.status === 'active' && join(turn);
    },
  };
}
