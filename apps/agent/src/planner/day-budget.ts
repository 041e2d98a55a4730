// What models have used today for the person who started a task. Reads nothing where the operator set no limit.

import {
  hasModelLimits,
  type ModelLimits,
  type ModelUseToday,
  noModelLimits,
  type Store,
  type TaskRow,
} from '@pilothouse/store';

type Options = { store: Store; modelLimits?: ModelLimits };
type Day = { limits: ModelLimits; used: ModelUseToday };

export const createDayBudget =
  ({ store, modelLimits: limits = noModelLimits }: Options) =>
  async ({ created_by }: TaskRow): Promise<Day | undefined> =>
    hasModelLimits(limits) ? { limits, used: await store.modelBudget.today(created_by) } : undefined;
