// What the hands are told, and what they answer. Every command carries the epoch of whoever drives; an older one than
// the host has seen is refused.

import { BrowserRoute, ImageType, Step } from '@pilothouse/contract';
import { z } from 'zod';
import { json } from './codec.ts';
import { defineRequest } from './define.ts';
import { Failed } from './failure.ts';
import { StoredFile } from './files.ts';
import { BusId, Epoch } from './heartbeat.ts';
import { NumberedInput } from './input.ts';
import { Box, Observation } from './observe.ts';
import { packed } from './packed.ts';
import { Dialog } from './reports.ts';
import { SavedState } from './state.ts';
import { subjects } from './subjects.ts';

/** Names of domains; one covers those below it. Without `allow` everything public may be reached. */
export const Reach = z.object({ allow: z.array(z.string()).nullable(), deny: z.array(z.string()) });
export type Reach = z.output<typeof Reach>;

export const HostCommand = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('open'),
    session_id: BusId,
    epoch: Epoch,
    viewport: z.object({ width: z.int().positive(), height: z.int().positive() }),
    state: SavedState.nullable(),
    reach: Reach.default({ allow: null, deny: [] }),
    /** For a person, who has the wheel already. */
    is_person: z.boolean().default(false),
  }),
  /** Ends the session's browser. The answer carries what brings it back, where that can still be had. */
  z.object({ type: z.literal('close'), session_id: BusId, epoch: Epoch }),
  z.object({ type: z.literal('status') }),
]);
export type HostCommand = z.output<typeof HostCommand>;

export const HostStatus = z.object({
  capacity: z.int().nonnegative(),
  /** Browsers that wait for a session. */
  warm: z.int().nonnegative(),
  /** Whether each browser runs as a user of its own. */
  has_own_users: z.boolean(),
  sessions: z.array(
    z.object({
      session_id: BusId,
      epoch: Epoch,
      pages: z.int().nonnegative(),
      is_watched: z.boolean(),
      idle_ms: z.int().nonnegative(),
    }),
  ),
});
export type HostStatus = z.output<typeof HostStatus>;

export const HostReply = z.discriminatedUnion('ok', [
  z.object({ ok: z.literal(true), state: SavedState.optional(), status: HostStatus.optional() }),
  Failed,
]);
export type HostReply = z.output<typeof HostReply>;

export const hostCommand = defineRequest({
  name: 'host command',
  subject: subjects.hostCommand,
  askers: () => ['server', 'agent'],
  request: json(HostCommand),
  reply: json(HostReply),
});

export const SessionCommand = z.discriminatedUnion('type', [
  /** Does one step. The same id again returns the first answer and does nothing. */
  z.object({
    type: z.literal('act'),
    command_id: BusId,
    epoch: Epoch,
    deadline_ms: z.int().positive(),
    step: Step,
    /** What comes back with the answer. What is not brought is not waited for. */
    bring: z.array(z.enum(['picture', 'state'])).default(['picture', 'state']),
  }),
  /** What came of a command, by whoever asks: it is waited for while it is under way, and never done again. */
  z.object({ type: z.literal('answer'), command_id: BusId }),
  /** A new driver, who may be a person. Answered when whoever drove before can touch nothing any more. */
  z.object({ type: z.literal('take'), epoch: Epoch, is_person: z.boolean().default(false) }),
  /** Somebody watches, or drives: send frames for so long. Repeated while they do. */
  z.object({
    type: z.literal('watch'),
    for_ms: z.int().positive().max(60_000),
    is_driven: z.boolean().default(false),
  }),
  /** The picture as it is now, without waiting for one to change. */
  z.object({ type: z.literal('look') }),
  /** What can be done on the page. */
  z.object({
    type: z.literal('observe'),
    /** Where the outline begins: `next` of the look before. */
    from: z.int().nonnegative().default(0),
    bring: z.array(z.enum(['picture', 'text'])).default([]),
  }),
  /** A person's hand. What was done already is not done again; what comes too early waits for what it follows. */
  z.object({ type: z.literal('input'), epoch: Epoch, inputs: z.array(NumberedInput).min(1).max(64) }),
]);
export type SessionCommand = z.output<typeof SessionCommand>;

const Place = z.object({ url: z.string(), title: z.string() });

/** What is known of the picture that follows behind the JSON. */
export const Picture = z.object({
  content_type: ImageType,
  width: z.int().positive(),
  height: z.int().positive(),
  device_scale: z.number().positive(),
  route: BrowserRoute,
  /** Only for who drives, under this epoch. Hosts that do not say so show nothing private. */
  private: z.boolean().default(false),
  epoch: z.int().nonnegative().default(0),
});
export type Picture = z.output<typeof Picture>;

export const Acted = z.object({
  ok: z.literal(true),
  type: z.literal('acted'),
  before: Place,
  after: Place,
  /** The element's box just before the act, in CSS pixels of the viewport. */
  bbox: Box.nullable(),
  point: z.object({ x: z.number(), y: z.number() }).nullable(),
  wait_ms: z.int().nonnegative(),
  run_ms: z.int().nonnegative(),
  /** What was read, by an extracting step. */
  data: z.unknown().optional(),
  /** What was downloaded, to be fetched in pieces. */
  file: StoredFile.nullable().default(null),
  /** The page asks something and does nothing else until it is answered. */
  dialog: Dialog.nullable().default(null),
  /** Null where it was not asked for, or could not be had in time. */
  state: SavedState.nullable(),
  picture: Picture.nullable(),
});
export type Acted = z.output<typeof Acted>;

export const SessionReply = z.union([
  Acted,
  z.object({ ok: z.literal(true), type: z.literal('watching') }),
  /** `cut`: the command that was given up for it. */
  z.object({ ok: z.literal(true), type: z.literal('taken'), cut: BusId.nullable() }),
  /** `written`: what the fields are called that the last person who drove wrote into. */
  z.object({
    ok: z.literal(true),
    type: z.literal('seen'),
    picture: Picture,
    written: z.array(z.string()).default([]),
  }),
  z.object({
    ok: z.literal(true),
    type: z.literal('observed'),
    observation: Observation,
    picture: Picture.nullable(),
  }),
  /** `seq`: the last input that is done; all before it are. */
  z.object({ ok: z.literal(true), type: z.literal('input'), seq: z.int().nonnegative() }),
  Failed,
]);
export type SessionReply = z.output<typeof SessionReply>;

export const sessionCommand = defineRequest({
  name: 'session command',
  subject: subjects.sessionCommand,
  askers: () => ['server', 'agent'],
  request: json(SessionCommand),
  reply: packed(SessionReply),
});
