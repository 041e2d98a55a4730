// The SDK's model for each model of the settings, each with a fetch that watches time and size. Keys end here.

import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogle } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModel } from 'ai';
import type { ModelSettings } from './settings.ts';

// The SDK would print what it does not like of a request, with parts of it, past our log.
globalThis.AI_SDK_LOG_WARNINGS = false;

/** Given in full, so that the SDK takes nothing from the environment. */
const addresses = {
  openai: 'https://api.openai.com/v1',
  anthropic: 'https://api.anthropic.com/v1',
  google: 'https://generativelanguage.googleapis.com/v1beta',
};

export function vendorModel(settings: ModelSettings, fetch: typeof globalThis.fetch): Exclude<LanguageModel, string> {
  const { wire, model, provider } = settings;
  const apiKey = settings.apiKey ?? '';
  if (wire === 'compatible')
    return createOpenAICompatible({
      name: provider,
      baseURL: settings.baseUrl ?? '',
      apiKey: settings.apiKey,
      fetch,
    })(model);
  const baseURL = settings.baseUrl ?? addresses[wire];
  if (wire === 'openai') return createOpenAI({ baseURL, apiKey, fetch }).responses(model);
  if (wire === 'anthropic') return createAnthropic({ baseURL, apiKey, fetch })(model);
  return createGoogle({ baseURL, apiKey, fetch })(model);
}
