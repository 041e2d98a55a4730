// Settings of models that lead to a scripted model server, and a request to begin tests with.

import { z } from 'zod';
import type { ModelServer } from '../../../testkit/models/server.ts';
import { createModelAccess, type ModelAccess } from '../src/model/model-access.ts';
import type { ModelSettings } from '../src/model/settings.ts';
import type { ModelRequest } from '../src/model/types.ts';

/** Four models, one of each wire, each with a key that must be seen nowhere but at the server. */
export function scriptedModels({ addresses }: Pick<ModelServer, 'addresses'>): ModelSettings[] {
  const price = { input: 2_000_000, cached: 200_000, cacheWritten: 2_500_000, output: 10_000_000 };
  const apiKey = (wire: string) => `sk-canary-${wire}-0123456789abcdef`;
  const vendor = (wire: 'openai' | 'anthropic' | 'google', model: string, baseUrl: string): ModelSettings => ({
    name: `${wire}/${model}`,
    provider: wire,
    model,
    wire,
    baseUrl,
    apiKey: apiKey(wire),
    price,
  });
  return [
    {
      name: 'local',
      provider: 'local',
      model: 'tiny',
      wire: 'compatible',
      baseUrl: addresses.chat,
      apiKey: apiKey('local'),
      price,
    },
    vendor('openai', 'gpt-x', addresses.responses),
    vendor('anthropic', 'claude-x', addresses.anthropic),
    vendor('google', 'gemini-3-x', addresses.google),
  ];
}

export const accessTo = (server: ModelServer, given: { concurrency?: number; timeoutMs?: number } = {}): ModelAccess =>
  createModelAccess({
    models: scriptedModels(server),
    concurrency: given.concurrency ?? 8,
    timeoutMs: given.timeoutMs ?? 10_000,
  });

export const click = {
  name: 'click',
  description: 'Clicks an element.',
  schema: z.strictObject({ ref: z.string(), count: z.number().int().min(1).max(2).default(1) }),
};
export const finish = {
  name: 'finish',
  description: 'Ends the task.',
  schema: z.strictObject({ state: z.enum(['done', 'partial', 'impossible']), summary: z.string() }),
};

export const requestTo = (model: string, given: Partial<ModelRequest> = {}): ModelRequest => ({
  model,
  system: { text: 'You drive a browser.', cache: true },
  messages: [{ role: 'user', text: 'Remove the lantern.' }],
  tools: [finish, click],
  maxOutputTokens: 1000,
  cacheKey: 'task-1',
  ...given,
});
