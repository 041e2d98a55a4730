// Words of a person to a task that is open, without a takeover.

import { z } from 'zod';
import { Count } from '../types/count.ts';
import { Uuid7 } from '../types/id.ts';
import { text } from '../types/text.ts';
import { Timestamp } from '../types/time.ts';

/** A task takes no more than this. */
export const maxTaskMessages = 40;

export const TaskMessageRequest = z.object({ text: text(2000, 1) }).meta({ id: 'TaskMessageRequest' });
export type TaskMessageRequest = z.infer<typeof TaskMessageRequest>;

export const TaskMessage = z
  .object({
    task_id: Uuid7,
    /** 1 for the first message of the task, and one more for each that follows. */
    number: Count,
    text: z.string(),
    recorded_at: Timestamp,
    /** `planner`: the planner of the task reads it before its next step. `nobody`: the task follows a script. */
    read_by: z.enum(['planner', 'nobody']),
  })
  .meta({ id: 'TaskMessage' });
export type TaskMessage = z.infer<typeof TaskMessage>;
