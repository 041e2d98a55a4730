// A host lives by its heartbeat: agents, who have the database, answer it with the lease they granted.

import { z } from 'zod';
import { json } from './codec.ts';
import { defineRequest } from './define.ts';
import { isToken } from './subject.ts';
import { hostUser, subjects } from './subjects.ts';

export const BusId = z.string().refine(isToken);
export const Epoch = z.int().nonnegative();

export const Heartbeat = z.object({
  host_id: BusId,
  /** New at every start of the host, so that a restarted host is not taken for the one before. */
  boot_id: z.uuid(),
  sessions: z
    .array(
      z.object({
        session_id: BusId,
        epoch: Epoch,
        /** Somebody sees its frames. */
        is_watched: z.boolean().default(false),
        /** Since anything was done in it. */
        idle_ms: z.int().nonnegative().default(0),
      }),
    )
    .max(10_000),
  /** How many sessions the host can hold at once. */
  capacity: z.int().nonnegative().max(10_000),
  /** Of the whole machine: the share of its cores that is busy, and of its memory that is taken, from 0 to 1. */
  load: z.object({ cpu: z.number().min(0), memory: z.number().min(0).max(1) }).optional(),
});
export type Heartbeat = z.output<typeof Heartbeat>;

export const HeartbeatReply = z.object({ lease_ms: z.int().nonnegative() });
export type HeartbeatReply = z.output<typeof HeartbeatReply>;

export const heartbeat = defineRequest({
  name: 'heartbeat',
  subject: subjects.heartbeat,
  askers: ({ host_id }) => [hostUser(host_id)],
  request: json(Heartbeat),
  reply: json(HeartbeatReply),
  claims: ({ host_id }) => ({ host_id }),
});
