export { type Codec, DecodeError, json } from './codec.ts';
export {
  Acted,
  HostCommand,
  HostReply,
  HostStatus,
  hostCommand,
  Picture,
  Reach,
  SessionCommand,
  SessionReply,
  sessionCommand,
} from './commands.ts';
export { type Bus, type BusOptions, connectBus } from './connect.ts';
export { type Wait, WaitError } from './deadline.ts';
export { defineMessage, defineRequest, type Lane, type MessageDefinition, type RequestDefinition } from './define.ts';
export { Failure } from './failure.ts';
export { FILE_PIECE_BYTES, FileCommand, FileReply, fileCommand, StoredFile } from './files.ts';
export { decodeFrame, encodeFrame, type Frame, FrameHeader, frame, frameCodec } from './frames.ts';
export { BusId, Epoch, Heartbeat, HeartbeatReply, heartbeat } from './heartbeat.ts';
export { Input, NumberedInput } from './input.ts';
export type { BusStatus, Credentials } from './link.ts';
export type { Listener, ListenOptions } from './listen.ts';
export { type BusPasswords, type NatsConfigOptions, natsConfig } from './nats-config.ts';
export type { NewestPublisher, NewestSubscription } from './newest.ts';
export { Box, lineOf, MAX_OUTLINE_CHARS, Observation, OpenPage, OutlineItem } from './observe.ts';
export type { Packed } from './packed.ts';
export { agentPermissions, hostPermissions, type Permissions, serverPermissions } from './permissions.ts';
export type { Problem } from './problem.ts';
export type { PublishResult } from './publish.ts';
export { Dialog, Report, report, Wall } from './reports.ts';
export { REPLY_WINDOW_MS, type Refusal, type RequestFailure, type RequestResult } from './request.ts';
export type { Asked, Handler, Responder } from './respond.ts';
export { Checkpoint, checkpoint, SavedState } from './state.ts';
export { type Filter, isToken, type Subject, subject, type Tokens } from './subject.ts';
export { hostUser, inboxPrefix, queues, subjects } from './subjects.ts';
export type { Consumer, Subscription } from './subscribe.ts';
export {
  announceEvent,
  announceWork,
  EventWakeup,
  eventWakeup,
  LoginRevoked,
  loginRevoked,
  ShareRevoked,
  shareRevoked,
  WorkQueued,
  workQueued,
} from './wakeups.ts';
export { type Withheld, withheldPicture } from './withheld.ts';
