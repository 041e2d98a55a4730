// What the hands are told, and what they answer. Every command carries the epoch of whoever drives; an older one than
// the host has seen is refused.

import { BrowserRoute, ImageType, Step } from '@pilothouse/contract';
import { z } from 'zod';
import { json } from './codec.ts';
import { defineRequest } from './define.ts';
import { BusId, Epoch } from './heartbeat.ts';
import { packed } from './packed.ts';
import { subjects } from './subjects.ts';

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
  /** This host does not hold the session. */
  'no_session',
  /** The host's lease has run out: it may not act. */
  'no_lease',
  /** The host holds as many sessions as it can. */
  'full',
  'unsupported',
]);
export type Failure = z.output<typeof Failure>;

const Failed = z.object({ ok: z.literal(false), failure: Failure, message: z.string() });

/** All that brings a browser back: cookies and storage as the browser library saves them, and the open tabs. */
export const SavedState = z.object({
  storage: z.record(z.string(), z.unknown()),
  pages: z.array(z.object({ url: z.string(), scroll_x: z.number(), scroll_y: z.number() })),
});
export type SavedState = z.output<typeof SavedState>;

export const HostCommand = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('open'),
    session_id: BusId,
    epoch: Epoch,
    viewport: z.object({ width: z.int().positive(), height: z.int().positive() }),
    state: SavedState.nullable(),
  }),
  z.object({ type: z.literal('close'), session_id: BusId, epoch: Epoch }),
]);
export type HostCommand = z.output<typeof HostCommand>;

export const HostReply = z.discriminatedUnion('ok', [z.object({ ok: z.literal(true) }), Failed]);
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
  z.object({ type: z.literal('act'), command_id: BusId, epoch: Epoch, deadline_ms: z.int().positive(), step: Step }),
  /** Somebody watches: send frames for so long. Repeated while they do. */
  z.object({ type: z.literal('watch'), for_ms: z.int().positive().max(60_000) }),
  /** The picture as it is now, without waiting for one to change. */
  z.object({ type: z.literal('look') }),
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
});
export type Picture = z.output<typeof Picture>;

export const Acted = z.object({
  ok: z.literal(true),
  type: z.literal('acted'),
  before: Place,
  after: Place,
  /** The element's box just before the act, in CSS pixels of the viewport. */
  bbox: z.object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() }).nullable(),
  point: z.object({ x: z.number(), y: z.number() }).nullable(),
  wait_ms: z.int().nonnegative(),
  run_ms: z.int().nonnegative(),
  state: SavedState,
  picture: Picture,
});
export type Acted = z.output<typeof Acted>;

export const SessionReply = z.union([
  Acted,
  z.object({ ok: z.literal(true), type: z.literal('watching') }),
  z.object({ ok: z.literal(true), type: z.literal('seen'), picture: Picture }),
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
