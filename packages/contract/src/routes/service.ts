import { z } from 'zod';
import { Success } from './route.ts';

/** The process lives. `notices` says in plain words what an operator should know, such as that nobody has to log in. */
export const HealthReply = Success.extend({
  status: z.literal('ok'),
  version: z.string(),
  auth: z.enum(['required', 'disabled']),
  notices: z.array(z.string()),
}).meta({ id: 'HealthReply' });
export type HealthReply = z.infer<typeof HealthReply>;

/** The process can do its work: all it leans on answers. Otherwise the answer is `overloaded`. */
export const ReadyReply = Success.extend({ status: z.literal('ready') }).meta({ id: 'ReadyReply' });
export type ReadyReply = z.infer<typeof ReadyReply>;

export const OpenApiDocument = z.looseObject({ openapi: z.string() }).meta({ id: 'OpenApiDocument' });
