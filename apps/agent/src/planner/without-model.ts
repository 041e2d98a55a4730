// What becomes of a task in words at an agent that has no model: another agent takes it, or it fails.

import type { Store } from '@pilothouse/store';
import type { Next, TaskTurn } from '../ledger/turn.ts';
import type { Mind } from './mind.ts';

type Options = { store: Store; mind: Mind; giveUp(turn: TaskTurn, reason: string): Promise<Next> };

const noModel = 'No agent has a model that could decide the steps of this task, and none were given.';
/** Another agent may have a model. */
const elsewhereMs = 3000;

export const createWithoutModel =
  ({ store, mind, giveUp }: Options) =>
  /** Undefined where this agent has a model. */
  async (turn: TaskTurn): Promise<Next | undefined> => {
    if (mind.models.list.length > 0) return undefined;
    const isElsewhere = (await store.agents.models()).length > 0;
    return isElsewhere ? { waitMs: elsewhereMs } : giveUp(turn, noModel);
  };
