import { z } from 'zod';

/** Why a command was not done. */
export const Failure = z.enum([
  'not_found',
  'ambiguous',
  'covered',
  'timeout',
  'navigation_failed',
  'dialog_open',
  'blocked_by_guard',
  'crashed',
  'stale_epoch',
  /** The field holds something else than was typed. */
  'wrong_value',
  /** A file, or what was read, is larger than the host takes. */
  'too_large',
  /** No command of this id is remembered here: it never came, or long ago. */
  'unknown_command',
  /** This host does not hold the session. */
  'no_session',
  /** The host's lease has run out: it may not act. */
  'no_lease',
  /** The host holds as many sessions as it can. */
  'full',
  'unsupported',
]);
export type Failure = z.output<typeof Failure>;

export const Failed = z.object({
  ok: z.literal(false),
  failure: Failure,
  message: z.string(),
  /** Whether something was done to the page before it failed. */
  has_touched: z.boolean().default(false),
});
