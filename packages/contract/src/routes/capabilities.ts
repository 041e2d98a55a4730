// Shapes of what a server offers, and of what its caller may use.

import { z } from 'zod';
import { Planner } from '../tasks/task.ts';
import { Count } from '../types/count.ts';
import { Success } from '../types/route.ts';
import { Timestamp } from '../types/time.ts';
import { Registration } from './auth.ts';

/** How much the caller may have, and has now. */
const Quota = z.object({ limit: Count, used: Count }).meta({ id: 'Quota' });

/** A task to try, as the operator offers it to people who are new. */
export const ExampleTask = z
  .object({
    title: z.string().min(1).max(80),
    prompt: z.string().min(1).max(2000),
    /** As `steps_by` of a chat: what a `program` wrote needs a yes before it commits a person. */
    steps_by: z.enum(['person', 'program']).optional(),
  })
  .meta({ id: 'ExampleTask' });
export type ExampleTask = z.infer<typeof ExampleTask>;

/** For a caller with a login. Limits are calls in a minute. */
export const CallerCapabilities = z
  .object({
    /** The values of `planner` in a chat that this server can follow. */
    planners: z.array(Planner),
    /** Names for `model` in a chat. */
    models: z.array(z.string()),
    /**
     * What models may use for the caller in this day of UTC, and have used: null where there is no limit. At `ends_at` it
     * begins again. Absent from servers of an earlier release.
     */
    model_budget: z.object({ tokens: Quota.nullable(), cost_micros: Quota.nullable(), ends_at: Timestamp }).optional(),
    /** Tasks to try. Absent where the operator offers none. */
    examples: z.array(ExampleTask).optional(),
    /** Whether a session can be created with `record`. */
    recording: z.boolean(),
    /** Whether browser states can be saved as profiles. */
    profiles: z.boolean(),
    limits: z.object({ write: Count, input: Count, look: Count, streams: Count }),
    quotas: z.object({
      open_tasks: Quota,
      open_sessions: Quota,
      profiles: Quota,
      file_bytes: Quota,
      state_bytes: Quota,
      picture_bytes: Quota,
    }),
    sizes: z.object({
      prompt_chars: Count,
      plan_steps: Count,
      chat_body_bytes: Count,
      body_bytes: Count,
      input_actions: Count,
      files: Count,
      chat_files_bytes: Count,
      chooser_files_bytes: Count,
    }),
  })
  .meta({ id: 'CallerCapabilities' });
export type CallerCapabilities = z.infer<typeof CallerCapabilities>;

export const Capabilities = Success.extend({
  auth: z.enum(['required', 'disabled']),
  /** `invite`: only with an invitation. */
  registration: Registration,
  password_min_length: Count,
  /** Null without a login. */
  caller: CallerCapabilities.nullable(),
}).meta({ id: 'Capabilities' });
export type Capabilities = z.infer<typeof Capabilities>;
