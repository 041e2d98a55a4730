// The body of an error.

import { z } from 'zod';
import { type ErrorCode as Code, errors } from './error-codes.ts';

export const ErrorCode = z.enum(Object.keys(errors) as [Code, ...Code[]]);
export type ErrorCode = Code;

/** The body of every error: RFC 9457 problem details, with a code of the closed list. */
export const Problem = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    success: z.literal(false),
    code: ErrorCode,
    request_id: z.string(),
    errors: z.array(z.object({ pointer: z.string(), message: z.string() })).optional(),
  })
  .meta({ id: 'Problem' });
export type Problem = z.infer<typeof Problem>;
