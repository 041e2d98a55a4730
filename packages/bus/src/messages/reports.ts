// Reports of a host about a session, which no command asked for.

import { z } from 'zod';
import { json } from '../wire/codec.ts';
import { defineRequest } from '../wire/define.ts';
import { askersOf, subjects } from '../wire/subjects.ts';
import { BusId, Epoch } from './heartbeat.ts';

/** A dialog of the page, which blocks everything else in it. */
export const Dialog = z.object({
  kind: z.enum(['alert', 'confirm', 'prompt', 'beforeunload']),
  message: z.string(),
  default_value: z.string(),
});
export type Dialog = z.output<typeof Dialog>;

/** The resource limit that a session has reached. */
export const Wall = z.enum(['memory', 'processes', 'cpu', 'pages', 'disk']);
export type Wall = z.output<typeof Wall>;

const of = { session_id: BusId, epoch: Epoch };

export const Report = z.discriminatedUnion('type', [
  /** A page or the whole browser crashed. It is restored when the session is opened again. */
  z.object({ type: z.literal('crashed'), ...of, what: z.enum(['page', 'browser']), url: z.string().nullable() }),
  /** The guard refused an address to a page. Only host and port: the rest of a URL may hold secrets. */
  z.object({ type: z.literal('refused'), ...of, target: z.string(), reason: z.string(), count: z.int().positive() }),
  /** The session exceeded a limit. `is_ended`: its browser was ended for it. */
  z.object({ type: z.literal('wall'), ...of, wall: Wall, message: z.string(), is_ended: z.boolean() }),
  /** Pages opened others without a user action: these stay behind the front page. */
  z.object({ type: z.literal('left_behind'), ...of, count: z.int().positive() }),
  /** A dialog opened, or (null) the last one closed. */
  z.object({ type: z.literal('dialog'), ...of, dialog: Dialog.nullable() }),
]);
export type Report = z.output<typeof Report>;

export const report = defineRequest({
  name: 'report',
  subject: subjects.report,
  askers: askersOf(subjects.report),
  request: json(Report),
  reply: json(z.object({})),
  claims: ({ session_id }) => ({ session_id }),
});
