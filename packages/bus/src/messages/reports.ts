// What a host has to tell of a session without being asked.

import { z } from 'zod';
import { json } from './codec.ts';
import { defineRequest } from './define.ts';
import { BusId, Epoch } from './heartbeat.ts';
import { hostUser, subjects } from './subjects.ts';

/** A question of the page that holds up everything else in it. */
export const Dialog = z.object({
  kind: z.enum(['alert', 'confirm', 'prompt', 'beforeunload']),
  message: z.string(),
  default_value: z.string(),
});
export type Dialog = z.output<typeof Dialog>;

/** Which wall a session ran into. */
export const Wall = z.enum(['memory', 'processes', 'cpu', 'pages', 'disk']);
export type Wall = z.output<typeof Wall>;

const of = { session_id: BusId, epoch: Epoch };

export const Report = z.discriminatedUnion('type', [
  /** A page or the whole browser died. It comes back when somebody opens the session again. */
  z.object({ type: z.literal('crashed'), ...of, what: z.enum(['page', 'browser']), url: z.string().nullable() }),
  /** A page wanted to reach what it may not. Only the host and port: the rest of an address may hold secrets. */
  z.object({ type: z.literal('refused'), ...of, target: z.string(), reason: z.string(), count: z.int().positive() }),
  /** The session took more than its share. `is_ended`: its browser was ended for it. */
  z.object({ type: z.literal('wall'), ...of, wall: Wall, message: z.string(), is_ended: z.boolean() }),
  /** A dialog opened, or (null) the last one closed. */
  z.object({ type: z.literal('dialog'), ...of, dialog: Dialog.nullable() }),
]);
export type Report = z.output<typeof Report>;

export const report = defineRequest({
  name: 'report',
  subject: subjects.report,
  askers: ({ host_id }) => [hostUser(host_id)],
  request: json(Report),
  reply: json(z.object({})),
  claims: ({ session_id }) => ({ session_id }),
});
