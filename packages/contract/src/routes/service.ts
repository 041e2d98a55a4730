// Shapes of health and readiness.

import { z } from 'zod';
import { Success } from '../types/route.ts';

/** The process is alive. `notices` tells an operator what to know, such as that authentication is disabled. */
export const HealthReply = Success.extend({
  status: z.literal('ok'),
  version: z.string(),
  auth: z.enum(['required', 'disabled']),
  notices: z.array(z.string()),
}).meta({ id: 'HealthReply' });
export type HealthReply = z.infer<typeof HealthReply>;

/** The process can do its work: everything it depends on answers. Otherwise the error is `overloaded`. */
export const ReadyReply = Success.extend({ status: z.literal('ready') }).meta({ id: 'ReadyReply' });
export type ReadyReply = z.infer<typeof ReadyReply>;

export const OpenApiDocument = z.looseObject({ openapi: z.string() }).meta({ id: 'OpenApiDocument' });
