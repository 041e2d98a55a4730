// The public interface of the bus: messages between server, agents and browser hosts.

export {
  type Arbiter,
  type ArbiterOptions,
  arbiterUser,
  type BusConnection,
  type Newcomer,
  openArbiter,
} from './access/arbiter.ts';
export { type HostKey, hostIdOf, newHostKey, newSeed, publicKeyOf } from './access/host-key.ts';
export {
  type BusPasswords,
  type ClusterOptions,
  membersOf,
  type NatsConfigOptions,
  natsConfig,
  passwordsOf,
} from './access/nats-config.ts';
export { overlapsOf, type Permissions, permissionsOf } from './access/permissions.ts';
export {
  Acted,
  DomainPolicy,
  HostCommand,
  HostReply,
  HostStatus,
  hostCommand,
  OnlyIf,
  Picture,
  SessionCommand,
  SessionReply,
  sessionCommand,
  TypedSecret,
} from './messages/commands.ts';
export { Failure } from './messages/failure.ts';
export { FileCommand, FileReply, fileCommand, filePieceBytes, StoredFile } from './messages/files.ts';
export { decodeFrame, encodeFrame, type Frame, FrameHeader, frame, frameCodec } from './messages/frames.ts';
export { AskedAct, Gate, GateVerdict } from './messages/gate.ts';
export { BusId, Epoch, Heartbeat, HeartbeatReply, heartbeat, isEpochBeyond } from './messages/heartbeat.ts';
export { Input, NumberedInput } from './messages/input.ts';
export { Box, lineOf, maxOutlineChars, Observation, OpenPage, OutlineItem } from './messages/observation.ts';
export { estimateTokens, maxViewTokens, View, ViewHandle } from './messages/page-view.ts';
export { PlanWanted, PlanWantedReply, planWanted } from './messages/plan-wanted.ts';
export {
  ProgramOpen,
  ProgramOpened,
  type ProgramPiece,
  ProgramRules,
  programIn,
  programOpen,
  programOut,
  programPieceBytes,
} from './messages/program.ts';
export {
  actLimits,
  maxActsPerReport,
  type ProgramAct,
  type ProgramReport,
  SeenElement,
} from './messages/program-acts.ts';
export { createProgramLink, type ProgramLink } from './messages/program-link.ts';
export { createRedactor, formsOf, type Redactor, redactedText } from './messages/redaction.ts';
export { Dialog, Report, report, Wall } from './messages/reports.ts';
export { Checkpoint, checkpoint, SavedState } from './messages/saved-state.ts';
export { SessionView } from './messages/session-view.ts';
export {
  announceEvent,
  announceSilence,
  announceTaskChange,
  announceWork,
  browserSilent,
  EventWakeup,
  eventWakeup,
  LoginRevoked,
  loginRevoked,
  ShareRevoked,
  SilentBrowser,
  shareRevoked,
  TaskChanged,
  taskChanged,
  WorkQueued,
  workQueued,
} from './messages/wake-ups.ts';
export { type WithheldPicture, withheldPicture } from './messages/withheld-picture.ts';
export { type Bus, type BusOptions, connectBus } from './transport/connect.ts';
export type { BusStatus, Credentials, Proof } from './transport/link.ts';
export type { Listener, ListenOptions } from './transport/listen.ts';
export type { NewestPublisher, NewestSubscription } from './transport/newest.ts';
export type { PasswordSource } from './transport/passwords.ts';
export type { PublishResult } from './transport/publish.ts';
export { type Refusal, type RequestFailure, type RequestResult, replyWindowMs } from './transport/request.ts';
export type { Handler, RequestContext, Responder } from './transport/respond.ts';
export type { Consumer, Subscription } from './transport/subscribe.ts';
export { type Codec, DecodeError, json } from './wire/codec.ts';
export { type Wait, WaitError } from './wire/deadline.ts';
export {
  defineMessage,
  defineRequest,
  type Lane,
  type MessageDefinition,
  type RequestDefinition,
} from './wire/define.ts';
export type { Packed } from './wire/packed.ts';
export type { Problem } from './wire/problem.ts';
export { type Filter, isToken, type Subject, subject, type Tokens } from './wire/subject.ts';
export {
  askersOf,
  hostUser,
  inboxPrefix,
  type Member,
  queues,
  type Role,
  roles,
  type Spoken,
  subjects,
  userOf,
} from './wire/subjects.ts';
