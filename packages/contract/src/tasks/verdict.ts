// What a judge says of a finished task.

import { z } from 'zod';

/**
 * What a second look of a model says of a task that has ended, where the request asked for it (`judge`): whether the task was done.
 * It changes nothing of the state or the result.
 */
export const Verdict = z
  .object({
    state: z.enum(['done', 'not', 'unsure']),
    reasons: z.array(z.string()),
    /** The model that was asked; null where none was. */
    model: z.string().nullable(),
  })
  .meta({ id: 'Verdict' });
export type Verdict = z.infer<typeof Verdict>;
