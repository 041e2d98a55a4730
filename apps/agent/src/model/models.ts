// The models of this agent by name, in the order of the settings: the first is the default, the next one the fallback.

import type { ModelSettings } from './settings.ts';

/** What others may know of a model: never its key or its address. */
export type ModelInfo = { name: string; provider: string; model: string; isPriced: boolean };

export type Models = {
  list: ModelInfo[];
  /** Undefined where the settings name no model. */
  default: ModelInfo | undefined;
  /** By its name, or by the name of the model alone where only one has it. */
  byName(name: string): ModelInfo | undefined;
  /** The model to ask when this one does not answer. `not` are those that were asked before. */
  after(name: string, not?: readonly string[]): ModelInfo | undefined;
};

export function createModels(settings: ModelSettings[]): Models {
  const list = settings.map(({ name, provider, model, price }) => ({ name, provider, model, isPriced: !!price }));
  return {
    list,
    default: list[0],
    byName(name) {
      const called = list.filter(({ model }) => model === name);
      return list.find((one) => one.name === name) ?? (called.length === 1 ? called[0] : undefined);
    },
    after(name, not = []) {
      const at = list.findIndex((one) => one.name === name);
      // Around the list: a task that names the last model falls back to the first.
      return [...list.slice(at + 1), ...list.slice(0, Math.max(at, 0))].find((one) => !not.includes(one.name));
    },
  };
}
