// Estimates how many tokens a request takes, without a tokenizer: bytes, corrected by what vendors counted before.

import { jsonSchemaOf } from './tools.ts';
import type { ModelRequest } from './types.ts';

const bytesPerToken = 3.2;
/** A JPEG of 1280×720 takes 1,100 to 1,250 tokens at the vendors we know. */
const tokensPerPicture = 1250;
/** How much one measured request moves the correction. */
const weight = 0.3;
const [least, most] = [0.5, 2];

export type RequestSizes = {
  /** In tokens. */
  estimate(request: ModelRequest): number;
  /** Takes up what the vendor counted for a request that was estimated so. */
  learn(request: ModelRequest, counted: number): void;
};

export function createRequestSizes(): RequestSizes {
  const corrections = new Map<string, number>();
  return {
    estimate: (request) => Math.ceil(rawTokens(request) * (corrections.get(request.model) ?? 1)),
    learn(request, counted) {
      if (counted <= 0) return;
      const measured = Math.min(most, Math.max(least, counted / rawTokens(request)));
      const known = corrections.get(request.model);
      corrections.set(request.model, known === undefined ? measured : known + weight * (measured - known));
    },
  };
}

function rawTokens({ system, messages, tools }: ModelRequest): number {
  let bytes = Buffer.byteLength(system.text);
  let pictures = 0;
  for (const { name, description, schema } of tools)
    bytes += Buffer.byteLength(name + description + JSON.stringify(jsonSchemaOf(schema)));
  for (const message of messages) {
    if (message.role === 'tool')
      for (const { id, name, text } of message.results) bytes += Buffer.byteLength(id + name + text);
    else {
      bytes += Buffer.byteLength(message.text ?? '');
      if (message.role === 'user') pictures += message.pictures?.length ?? 0;
      else if (message.calls?.length) bytes += Buffer.byteLength(JSON.stringify(message.calls));
    }
  }
  return Math.max(1, bytes / bytesPerToken + pictures * tokensPerPicture);
}
