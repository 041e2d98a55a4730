// The policy that a host holds an act to, in the same look as the touch, and what it answers where a person has to say yes.

import { ActClass, PolicyRules } from '@pilothouse/contract';
import { z } from 'zod';
import { Box } from './observation.ts';

/** Of an act and of everything that a yes to it depends on: a hash, as hexadecimal digits. */
const Fingerprint = z.string().regex(/^[0-9a-f]{64}$/);

export const Gate = z.object({
  rules: PolicyRules,
  /** A person wrote the step itself. */
  is_given: z.boolean(),
  /** Origins that people named or pages link to. Absent: a step may lead anywhere. */
  known_origins: z.array(z.string()).optional(),
  /** Hosts that showed the words that the step writes, where no person gave them. */
  shown_at: z.array(z.string()).optional(),
  /** Words that no person gave were written into this page before. */
  is_unsaid: z.boolean().optional(),
  /** A person said no to an act of this task on the site of this page. */
  is_after_no: z.boolean().optional(),
  /** A model wrote an address that no person gave and that was not opened before. */
  is_new_address: z.boolean().optional(),
  /** With it: it could carry away more than a few words. */
  carries_much: z.boolean().optional(),
  /** What a person said yes to for the whole task. */
  grants: z.array(z.object({ class: ActClass, origin: z.string() })),
  /** A person watches, by the database. */
  is_watched: z.boolean(),
  /** What a person said yes to: the act is done only if it is still this one. */
  yes: Fingerprint.optional(),
});
export type Gate = z.output<typeof Gate>;

/** What the rules said of an act. `ask` of an act that was done: a person had said yes. */
export const GateVerdict = z.object({
  class: ActClass,
  outcome: z.enum(['allow', 'ask', 'deny', 'watch']),
  sentence: z.string(),
});
export type GateVerdict = z.output<typeof GateVerdict>;

/** An act as a person is told of it. Names, value and amounts are text of the page. */
export const AskedAct = z.object({
  fingerprint: Fingerprint,
  /** What a yes to all acts of this class would hold for. */
  site: z.string(),
  role: z.string().nullable(),
  name: z.string().nullable(),
  /** Null where there is none, and where it is secret. */
  value: z.string().nullable(),
  /** Origin and path. */
  page: z.string().nullable(),
  /** Where it is another than the page's. */
  frame_origin: z.string().nullable(),
  form_action: z.string().nullable(),
  amounts: z.array(z.string()),
  bbox: Box.nullable(),
});
export type AskedAct = z.output<typeof AskedAct>;
