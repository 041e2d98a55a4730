// Each call of a model as a span: which, how long, how many tokens. Never what was said, and the vendor is told of no trace.

import { span } from '@pilothouse/process';
import type { Ask } from './ask.ts';
import { ModelFailure } from './failure.ts';
import type { ModelAccess } from './model-access.ts';

/** The same access, traced. */
export function withModelSpans(access: ModelAccess): ModelAccess {
  const ask: Ask = (request, options) =>
    span('model.call', { model: request.model }, async ({ note, fail }) => {
      try {
        const answer = await access.ask(request, options);
        const { usage, costMicros, provider, finish } = answer;
        note({
          provider,
          outcome: finish,
          input_tokens: usage.input,
          output_tokens: usage.output,
          cost_micros: costMicros,
        });
        return answer;
      } catch (error) {
        if (error instanceof ModelFailure) note({ outcome: error.kind });
        fail(error instanceof ModelFailure ? error.kind : 'unknown');
        throw error;
      }
    });
  return { ...access, ask };
}
