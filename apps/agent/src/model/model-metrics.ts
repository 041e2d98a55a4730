// Counts the calls of models: how many, how long, how many tokens, what they cost. Never counts what was said.

import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Ask } from './ask.ts';
import { ModelFailure } from './failure.ts';
import type { ModelAccess } from './model-access.ts';

const seconds = [0.5, 1, 2, 5, 10, 20, 40, 80, 160];

/** The same access, counted. */
export function withModelMetrics(access: ModelAccess, metrics: Registry): ModelAccess {
  const registers = [metrics];
  const calls = new Counter({
    name: 'pilothouse_model_calls_total',
    help: 'Calls of models that ended, by model and outcome (ok, or the kind of the failure).',
    labelNames: ['model', 'outcome'],
    registers,
  });
  const tokens = new Counter({
    name: 'pilothouse_model_tokens_total',
    help: 'Tokens as the vendors counted them. Cached ones are part of the input.',
    labelNames: ['model', 'kind'],
    registers,
  });
  const cost = new Counter({
    name: 'pilothouse_model_cost_micros_total',
    help: 'Millionths of a dollar, by the prices that are known.',
    labelNames: ['model'],
    registers,
  });
  const duration = new Histogram({
    name: 'pilothouse_model_call_seconds',
    help: 'From the beginning of a call to the end of its answer.',
    labelNames: ['model'],
    buckets: seconds,
    registers,
  });
  new Gauge({
    name: 'pilothouse_model_calls_waiting',
    help: 'Calls that wait for others to end (MODEL_CONCURRENCY).',
    registers,
    collect() {
      this.set(access.places.waiting());
    },
  });

  const ask: Ask = async (request, options) => {
    const { model } = request;
    const count = (outcome: string, { ms, costMicros, usage }: Counted) => {
      calls.inc({ model, outcome });
      duration.observe({ model }, ms / 1000);
      cost.inc({ model }, costMicros);
      for (const kind of ['input', 'cached', 'output'] as const) tokens.inc({ model, kind }, usage?.[kind] ?? 0);
    };
    try {
      const answer = await access.ask(request, options);
      count('ok', answer);
      return answer;
    } catch (error) {
      if (error instanceof ModelFailure) count(error.kind, error);
      throw error;
    }
  };
  return { ...access, ask };
}

type Counted = { ms: number; costMicros: number; usage?: { input: number; cached: number; output: number } };
