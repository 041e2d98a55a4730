// What the planner needs of the models: their list, one call, and the size of a request.

import type { Models } from '../model/models.ts';
import type { ModelAnswer, ModelRequest } from '../model/types.ts';

export type Mind = {
  models: Models;
  ask(request: ModelRequest, options: { signal: AbortSignal }): Promise<ModelAnswer>;
  /** Of a request, in tokens. */
  estimate(request: ModelRequest): number;
};
