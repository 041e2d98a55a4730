// Everything that an agent needs to ask models: the list, the one way to ask, and the estimate of a request's size.

import { type Ask, createAsk } from './ask.ts';
import { createPlaces, type Places } from './concurrency.ts';
import { createModels, type Models } from './models.ts';
import { createRequestSizes, type RequestSizes } from './request-size.ts';
import type { ModelSettings } from './settings.ts';

export type ModelAccess = {
  models: Models;
  ask: Ask;
  /** Tokens of a request before it is sent. */
  estimate: RequestSizes['estimate'];
  /** How many calls run and wait, for metrics. */
  places: Pick<Places, 'busy' | 'waiting'>;
};

/** Without a further byte for this long, an answer that has begun counts as stalled. */
const stalledMs = 30_000;

export function createModelAccess(given: {
  models: ModelSettings[];
  concurrency: number;
  timeoutMs: number;
}): ModelAccess {
  const sizes = createRequestSizes();
  const places = createPlaces(given.concurrency);
  const limits = { totalMs: given.timeoutMs, stalledMs };
  return {
    models: createModels(given.models),
    ask: createAsk({ models: given.models, places, sizes, limits }),
    estimate: sizes.estimate,
    places,
  };
}
