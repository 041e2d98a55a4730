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
  sessions: z.array(z.object({ session_id: BusId, epoch: Epoch })).max(10_000),
  /** How many sessions the host can hold at once. */
  capacity: z.int().nonnegative().max(10_000),
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
