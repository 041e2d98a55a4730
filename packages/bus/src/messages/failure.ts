// The reasons for which a host does not do a command.

import { z } from 'zod';
import { AskedAct, GateVerdict } from './gate.ts';

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
  /** The field does not hold the typed text. */
  'wrong_value',
  /**
   * Another document or field took the focus: what was typed is not where it was meant to go, and is not typed again.
   */
  'focus_taken',
  /** The page in front is of another site than after the last step, and no step navigated there. */
  'site_changed',
  /** The page, or the element, is not what `only_if` of the command says. Nothing was done to it. */
  'changed',
  /** A person has to say yes first, or has said yes to something else. */
  'needs_yes',
  /** It is done only while a person watches. */
  'needs_watcher',
  /** The rules of the task refuse it. */
  'refused',
  /** A file, or extracted data, is larger than the host accepts. */
  'too_large',
  /** The host does not know a command with this id: it never arrived, or long ago. */
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
  /** Whether the page was changed before it failed. */
  has_touched: z.boolean().default(false),
  /** What the rules said, where they are the reason. */
  verdict: GateVerdict.optional(),
  /** With `needs_yes`: what a person has to say yes to. */
  asked: AskedAct.optional(),
});
