import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Registry } from 'prom-client';
import { failing, finishes, scriptMind } from '../../testing/scripted-mind.ts';
import { withModelMetrics } from './model-metrics.ts';
import type { ModelRequest } from './types.ts';

it('calls of models are counted by outcome, with their tokens and cost', async () => {
  const metrics = new Registry();
  const { mind } = scriptMind([finishes(), finishes(), failing('rate_limited')]);
  const { ask } = withModelMetrics({ ...mind, places: { busy: () => 0, waiting: () => 4 } }, metrics);
  const request = { model: 'test/one' } as ModelRequest;
  const { signal } = new AbortController();
  await ask(request, { signal });
  await ask(request, { signal });
  await assert.rejects(ask(request, { signal }), { name: 'ModelFailure' });
  const text = await metrics.metrics();
  for (const line of [
    'pilothouse_model_calls_total{model="test/one",outcome="ok"} 2',
    'pilothouse_model_calls_total{model="test/one",outcome="rate_limited"} 1',
    'pilothouse_model_tokens_total{model="test/one",kind="input"} 200',
    'pilothouse_model_tokens_total{model="test/one",kind="output"} 20',
    'pilothouse_model_cost_micros_total{model="test/one"} 10',
    'pilothouse_model_call_seconds_count{model="test/one"} 3',
    'pilothouse_model_calls_waiting 4',
  ])
    assert.ok(text.includes(line), `${line} is not in\n${text}`);
});
