// A server asks an agent what a model would do for a task that is not begun: servers have no model key.

import { JsonObject, PlanItem } from '@pilothouse/contract';
import { z } from 'zod';
import { json } from '../wire/codec.ts';
import { defineRequest } from '../wire/define.ts';
import { askersOf, subjects } from '../wire/subjects.ts';
import { BusId } from './heartbeat.ts';

/** The words of the task, as a chat has them. */
export const PlanWanted = z.object({
  /** Who pays for the call. A server of the former release does not say. */
  user_id: BusId.optional(),
  prompt: z.string(),
  /** Null: the first model of the agent. */
  model: z.string().nullable(),
  current_url: z.string().nullable(),
  constraints: z.array(z.string()),
  allowed_domains: z.array(z.string()).nullable(),
  output_schema: JsonObject.nullable(),
  /** Names of files for upload. */
  files: z.array(z.string()),
  started_on: z.string(),
});
export type PlanWanted = z.output<typeof PlanWanted>;

/** `message` is one sentence that is safe to show. `is_final`: the same request will not succeed later. */
export const PlanWantedReply = z.discriminatedUnion('type', [
  z.object({ type: z.literal('planned'), items: z.array(PlanItem) }),
  z.object({ type: z.literal('failed'), message: z.string(), is_final: z.boolean() }),
]);
export type PlanWantedReply = z.output<typeof PlanWantedReply>;

export const planWanted = defineRequest({
  name: 'plan wanted',
  subject: subjects.planWanted,
  askers: askersOf(subjects.planWanted),
  request: json(PlanWanted),
  reply: json(PlanWantedReply),
});
