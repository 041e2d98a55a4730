// What a model decided for a task.

import { z } from 'zod';
import { Count } from '../types/count.ts';
import { Json } from '../types/json.ts';
import { Timestamp } from '../types/time.ts';
import { ImageType } from './view.ts';

/** One tool that the model called, and the steps that it became. */
const DecidedAction = z.object({
  tool: z.string(),
  input: Json,
  /** Ids of its steps, of those that were begun. Empty for calls that need none, and for refused ones. */
  step_ids: z.array(z.string()),
  /** Why nothing was done for it; null if something was, or nothing had to be. */
  refused: z.string().nullable(),
});

/** The call of the model. Tokens are as its vendor counts them. */
const DecisionCall = z.object({
  number: Count,
  model: z.string(),
  ms: Count,
  input_tokens: Count,
  cached_tokens: Count,
  output_tokens: Count,
  reasoning_tokens: Count,
  /** Millionths of a dollar, as far as the price is known. */
  cost_micros: Count,
});

/** `cut`: people, a failure or a change of the page ended it before all its steps were done. */
export const Decision = z
  .object({
    number: Count,
    decided_at: Timestamp,
    status: z.enum(['open', 'done', 'cut']),
    cut_reason: z.string().nullable(),
    /** What the model says of its last goal, of the next one, and beside it. */
    evaluation: z.string().nullable(),
    goal: z.string().nullable(),
    thinking: z.string().nullable(),
    /** The page that it had before it. */
    url: z.string().nullable(),
    /** How many messages of people it had read. */
    read_messages: Count,
    actions: z.array(DecidedAction),
    call: DecisionCall,
  })
  .meta({ id: 'Decision' });
export type Decision = z.infer<typeof Decision>;

/** What a model was shown of the page when it decided. Everything in it is text of a website: data, and never markup. */
export const DecisionView = z
  .object({
    number: Count,
    decided_at: Timestamp,
    url: z.string().nullable(),
    /** With secrets as dots. Empty where a dialog hid the page; null where no text was kept. */
    text: z.string().nullable(),
    /** The picture that was sent with the text; null if none was. */
    picture: z.object({ content_type: ImageType, path: z.string() }).nullable(),
  })
  .meta({ id: 'DecisionView' });
export type DecisionView = z.infer<typeof DecisionView>;
