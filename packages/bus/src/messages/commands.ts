// Commands to browser hosts, and their replies. Every command carries the epoch of its driver; a host refuses an epoch
// that is older than the newest it has seen.

import { BrowserRoute, ImageType, PrivateReason, Step } from '@pilothouse/contract';
import { z } from 'zod';
import { json } from '../wire/codec.ts';
import { defineRequest } from '../wire/define.ts';
import { packed } from '../wire/packed.ts';
import { askersOf, subjects } from '../wire/subjects.ts';
import { Failed } from './failure.ts';
import { StoredFile } from './files.ts';
import { Gate, GateVerdict } from './gate.ts';
import { BusId, Epoch } from './heartbeat.ts';
import { NumberedInput } from './input.ts';
import { Box, Observation } from './observation.ts';
import { View } from './page-view.ts';
import { Dialog } from './reports.ts';
import { SavedState } from './saved-state.ts';
import { maxViewWaitMs, SessionView } from './session-view.ts';

/** Domains; each includes its subdomains. Without `allow`, every public address may be reached. */
export const DomainPolicy = z.object({ allow: z.array(z.string()).nullable(), deny: z.array(z.string()) });
export type DomainPolicy = z.output<typeof DomainPolicy>;

/** The longest that a list of known values gets. */
const maxKnownSecrets = 500;

/** A value that a step types, apart from the step, which has only its name. */
export const TypedSecret = z.object({
  name: z.string(),
  value: z.string(),
  /** Exact: the host types it nowhere else. */
  origins: z.array(z.string()).min(1),
  /** A one-time code, which is worth nothing a moment later. */
  is_code: z.boolean().default(false),
});
export type TypedSecret = z.output<typeof TypedSecret>;

export const HostCommand = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('open'),
    session_id: BusId,
    epoch: Epoch,
    viewport: z.object({ width: z.int().positive(), height: z.int().positive() }),
    state: SavedState.nullable(),
    reach: DomainPolicy.default({ allow: null, deny: [] }),
    /** The session is opened for a person, who drives already. */
    is_person: z.boolean().default(false),
    /** Values that were typed in this session before: the host redacts them from the start. */
    secrets: z.array(z.string()).max(maxKnownSecrets).optional(),
  }),
  /** Ends the session's browser. The reply has its state, if that can still be read. */
  z.object({ type: z.literal('close'), session_id: BusId, epoch: Epoch }),
  z.object({ type: z.literal('status') }),
]);
export type HostCommand = z.output<typeof HostCommand>;

export const HostStatus = z.object({
  capacity: z.int().nonnegative(),
  /** Browsers in the pool, without a session. */
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
  askers: askersOf(subjects.hostCommand),
  request: json(HostCommand),
  reply: json(HostReply),
});

/** Rises when the person goes on in another window. Absent or 0: the sender does not say. */
const ClientNo = z.int().nonnegative().optional();

/**
 * What must hold when the step touches its element, as the view said it of the handle. Without a target only the page is
 * looked at. A drag is held to what it takes.
 */
export const OnlyIf = z.object({
  /** Of the page in front. */
  page_origin: z.string().optional(),
  path: z.string().optional(),
  /** Of the document that the element is in. */
  origin: z.string().optional(),
  role: z.string().optional(),
  name: z.string().optional(),
  /** Null: it belongs to no form. */
  form_action: z.string().nullable().optional(),
});
export type OnlyIf = z.output<typeof OnlyIf>;

const act = {
  command_id: BusId,
  epoch: Epoch,
  deadline_ms: z.int().positive(),
  step: Step,
  /** Else the step fails with `changed`. */
  only_if: OnlyIf.optional(),
  /** For a step that types a secret. */
  secret: TypedSecret.optional(),
  /** What the reply includes. The host does not wait for anything else. */
  bring: z.array(z.enum(['picture', 'state'])).default(['picture', 'state']),
};

export const SessionCommand = z.discriminatedUnion('type', [
  /** Does one step. The same id again returns the first reply and does nothing. */
  z.object({ type: z.literal('act'), ...act }),
  /**
   * The same for an act that rules hold for. It is a command of its own, so that a host that does not know of rules refuses it
   * instead of doing it without them.
   */
  z.object({ type: z.literal('gated_act'), ...act, gate: Gate }),
  /** Asks for the result of a command: waits while it is under way, and never runs it again. */
  z.object({ type: z.literal('answer'), command_id: BusId }),
  /** A new driver, who may be a person. The host replies when the former driver can no longer act. */
  z.object({
    type: z.literal('take'),
    epoch: Epoch,
    is_person: z.boolean().default(false),
    /** The programs that are connected to the session drive. */
    is_program: z.boolean().optional(),
  }),
  /** There is a viewer or a driver: publish frames for this long. Repeated while there is one. */
  z.object({
    type: z.literal('watch'),
    for_ms: z.int().positive().max(60_000),
    is_driven: z.boolean().default(false),
    /** Only an agent that records looks on: it needs few frames. */
    is_recording: z.boolean().default(false),
    /** The last frame that the watcher received, null for none: the host sends a later one again. Where this is absent it does not. */
    seen: BusId.nullable().optional(),
  }),
  /** The present picture, without waiting for a change. */
  z.object({ type: z.literal('look') }),
  /** The view of the session: at once if its version is not `known`, else when it changes or the time is over. */
  z.object({
    type: z.literal('view'),
    known: z.string().nullable().default(null),
    wait_ms: z.int().nonnegative().max(maxViewWaitMs),
  }),
  /** The elements of the page that can be acted on; as `view`, all that it shows in one text for a model. */
  z.object({
    type: z.literal('observe'),
    as: z.enum(['outline', 'view']).default('outline'),
    /** Where it begins: `next` of the reply before. */
    from: z.int().nonnegative().default(0),
    /** For a view: the `shape_hash` of an earlier one. What came since is marked, where the host still knows that one. */
    since: z.string().optional(),
    bring: z.array(z.enum(['picture', 'text'])).default([]),
  }),
  /**
   * Input of a person. Input that was done is not done again; input that arrives too early waits for its predecessors.
   */
  z.object({
    type: z.literal('input'),
    epoch: Epoch,
    inputs: z.array(NumberedInput).min(1).max(64),
    client_no: ClientNo,
  }),
  /**
   * Asks for the last number that was accepted under this epoch. From then on the host refuses input of a window with a
   * lower number.
   */
  z.object({ type: z.literal('count'), epoch: Epoch, client_no: ClientNo }),
]);
export type SessionCommand = z.output<typeof SessionCommand>;

const PageLocation = z.object({ url: z.string(), title: z.string() });

/** The header of the picture that follows the JSON. */
export const Picture = z.object({
  content_type: ImageType,
  width: z.int().positive(),
  height: z.int().positive(),
  device_scale: z.number().positive(),
  route: BrowserRoute,
  /** Only for the driver under this epoch. Hosts without this field send nothing private. */
  private: z.boolean().default(false),
  epoch: z.int().nonnegative().default(0),
  /** As in a frame's header. */
  private_reason: PrivateReason.optional(),
  focuses_secret_field: z.boolean().optional(),
});
export type Picture = z.output<typeof Picture>;

export const Acted = z.object({
  ok: z.literal(true),
  type: z.literal('acted'),
  before: PageLocation,
  after: PageLocation,
  /** The element's box just before the action, in CSS pixels of the viewport. */
  bbox: Box.nullable(),
  point: z.object({ x: z.number(), y: z.number() }).nullable(),
  wait_ms: z.int().nonnegative(),
  run_ms: z.int().nonnegative(),
  /** What the rules said of a gated act. */
  verdict: GateVerdict.optional(),
  /** The extracted data. */
  data: z.unknown().optional(),
  /** The file that was downloaded, to be fetched in pieces. */
  file: StoredFile.nullable().default(null),
  /** An open dialog: the page does nothing until it is answered. */
  dialog: Dialog.nullable().default(null),
  /** Null if it was not requested, or could not be read in time. */
  state: SavedState.nullable(),
  picture: Picture.nullable(),
});
export type Acted = z.output<typeof Acted>;

export const SessionReply = z.union([
  Acted,
  z.object({ ok: z.literal(true), type: z.literal('watching') }),
  /** `cut`: the command that was aborted for it. */
  z.object({ ok: z.literal(true), type: z.literal('taken'), cut: BusId.nullable() }),
  /** `written`: the names of the fields that the last person who drove wrote into. */
  z.object({
    ok: z.literal(true),
    type: z.literal('seen'),
    picture: Picture,
    written: z.array(z.string()).default([]),
    /** Absent from hosts of an older release. */
    view: SessionView.optional(),
  }),
  z.object({ ok: z.literal(true), type: z.literal('view'), view: SessionView }),
  z.object({
    ok: z.literal(true),
    type: z.literal('observed'),
    observation: Observation,
    picture: Picture.nullable(),
  }),
  /** The reply to an observation as a view. */
  z.object({ ok: z.literal(true), type: z.literal('viewed'), view: View, picture: Picture.nullable() }),
  /** `seq`: the last input that is done, with all before it. */
  z.object({ ok: z.literal(true), type: z.literal('input'), seq: z.int().nonnegative() }),
  /** `seq`: the last input that was accepted, with all before it. Each of them is done, or will be. */
  z.object({ ok: z.literal(true), type: z.literal('counted'), seq: z.int().nonnegative() }),
  Failed,
]);
export type SessionReply = z.output<typeof SessionReply>;

export const sessionCommand = defineRequest({
  name: 'session command',
  subject: subjects.sessionCommand,
  askers: askersOf(subjects.sessionCommand),
  request: json(SessionCommand),
  reply: packed(SessionReply),
});
