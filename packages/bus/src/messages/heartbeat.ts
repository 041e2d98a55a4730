// The heartbeat of a host. An agent answers it with a lease: hosts have no access to the database.

import { z } from 'zod';
import { json } from '../wire/codec.ts';
import { defineRequest } from '../wire/define.ts';
import { isToken } from '../wire/subject.ts';
import { askersOf, subjects } from '../wire/subjects.ts';

export const BusId = z.string().refine(isToken);
/**
 * Each epoch of a session is one committed change of its row, so no database gives this many. Above it a forger could
 * leave the session without a next one.
 */
const maxEpoch = 2 ** 48;
export const Epoch = z.int().nonnegative().max(maxEpoch);

/**
 * How far the epoch of a session can have risen without its host hearing of it: a host that hears nothing ends its
 * browsers within a day at most (HOST_KEEP_SECS), and no session has more than a few changes of its driver a second.
 */
const maxEpochJump = 1_000_000;

/** Whether the offered epoch is too far ahead of the known one to be real. */
export const isEpochBeyond = (offered: number, known: number): boolean => offered - known > maxEpochJump;

export const Heartbeat = z.object({
  host_id: BusId,
  /** New at every start of the host, so that a restarted host is not taken for the former one. */
  boot_id: z.uuid(),
  sessions: z
    .array(
      z.object({
        session_id: BusId,
        epoch: Epoch,
        /** It has viewers. */
        is_watched: z.boolean().default(false),
        /** The time since its last use. */
        idle_ms: z.int().nonnegative().default(0),
      }),
    )
    // Twice what a host may be set to hold. A host that reports more gets no lease.
    .max(2000),
  /** The most sessions that the host can hold; 0 where it takes no more. */
  capacity: z.int().nonnegative().max(10_000),
  /** It is about to end: what works here is opened elsewhere, between two steps. */
  is_leaving: z.boolean().default(false),
  /** Of the whole machine: the used share of its cores and of its memory, from 0 to 1. */
  load: z.object({ cpu: z.number().min(0), memory: z.number().min(0).max(1) }).optional(),
});
export type Heartbeat = z.output<typeof Heartbeat>;

export const HeartbeatReply = z.object({
  lease_ms: z.int().nonnegative(),
  /** Sessions of the heartbeat that another host has by now, under these epochs: their browsers here must end. */
  opened_elsewhere: z.array(z.object({ session_id: BusId, epoch: Epoch })).default([]),
});
export type HeartbeatReply = z.output<typeof HeartbeatReply>;

export const heartbeat = defineRequest({
  name: 'heartbeat',
  subject: subjects.heartbeat,
  askers: askersOf(subjects.heartbeat),
  request: json(Heartbeat),
  reply: json(HeartbeatReply),
  claims: ({ host_id }) => ({ host_id }),
});
