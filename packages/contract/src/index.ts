// The public interface of the contract: shapes, routes, events, states and error codes. No I/O.

export {
  AdminAgent,
  AdminHost,
  AdminOverview,
  AdminTask,
  AdminUser,
  AuditEntry,
  WaitCause,
  waitCauses,
} from './routes/admin.ts';
export {
  ApiKey,
  ChangePasswordRequest,
  ConsoleTokenReply,
  CreateInviteRequest,
  CreateKeyRequest,
  Invite,
  Login,
  LoginRequest,
  LogoutRequest,
  NewApiKey,
  NewInvite,
  NewPassword,
  RefreshRequest,
  RegisterRequest,
  Registration,
  Role,
  TokenReply,
  User,
  UserClaims,
} from './routes/auth.ts';
export { CallerCapabilities, Capabilities, ExampleTask } from './routes/capabilities.ts';
export { type RouteName, routes } from './routes/routes.ts';
export { HealthReply, ReadyReply } from './routes/service.ts';
export { isMeantAsScript, isScript, type ParsedScript, parseScript, type ScriptError } from './script/parse.ts';
export { printScript } from './script/print.ts';
export { BundledEvent } from './sessions/bundle.ts';
export { CopiedText, DriverView, FileChooser, PageDialog, SelectList, ValuePicker } from './sessions/driver-view.ts';
export {
  inboxKinds,
  loggedLiveKinds,
  loggedTaskKinds,
  passingLiveKinds,
  passingTaskKinds,
} from './sessions/event-kinds.ts';
export {
  InboxEvent,
  LiveEvent,
  type LoggedLiveKind,
  type LoggedTaskKind,
  type RecordedEvent,
  TaskEvent,
} from './sessions/events.ts';
export { PageView } from './sessions/page-view.ts';
export { Pointer, PointerAction, PointerRequest } from './sessions/pointer.ts';
export { ProgramAccess, ProgramAccessRequest, WhileProgramDriven } from './sessions/program.ts';
export { RecordedFrame, RecordingBand, RecordingItem } from './sessions/recording.ts';
export { PutSecretRequest, Secret, secretLimits } from './sessions/secret.ts';
export {
  CreateProfileRequest,
  CreateSessionRequest,
  LastTask,
  ListedSession,
  Navigation,
  NeedsPerson,
  Profile,
  Session,
  Share,
  ShareRequest,
  ShareState,
  Snapshot,
  Thumbnail,
  UpdateSessionRequest,
} from './sessions/session.ts';
export { type BundledKind, maxBundled, maxPlaces, ownInbox, readBundledStream } from './sessions/stream-names.ts';
export { actClasses, approvalAnswers, policyModes } from './tasks/act-classes.ts';
export { ChatReply, ChatRequest, PlanReply } from './tasks/chat.ts';
export { Decision, DecisionView } from './tasks/decision.ts';
export {
  type EvidenceBody,
  EvidenceEnd,
  EvidenceHeader,
  EvidenceKey,
  type EvidenceKind,
  EvidenceLine,
  EvidencePicture,
  EvidenceRecord,
  EvidenceState,
  evidenceBodies,
} from './tasks/evidence.ts';
export type { GivenFiles } from './tasks/given-files.ts';
export { maxTaskMessages, TaskMessage, TaskMessageRequest } from './tasks/message.ts';
export {
  canMove,
  isTerminal,
  type Move,
  type SessionMove,
  sessionMoves,
  type TakeoverMove,
  type TaskMove,
  type TerminalTaskState,
  takeoverMoves,
  taskMoves,
  terminalTaskStates,
} from './tasks/moves.ts';
export { ChangedPlan, maxPlanItems, PlanItem, planItemChars } from './tasks/plan-item.ts';
export { ActClass, Approval, ApprovalAnswer, Policy, PolicyMode, PolicyRules, PolicyVerdict } from './tasks/policy.ts';
export { Choice, IrreversibleAnswer, Question, QuestionKind } from './tasks/question.ts';
export { BrowserState, SessionState, TakeoverState, TaskState } from './tasks/states.ts';
export { type Action, Condition, maxSteps, Plan, Step, Target } from './tasks/step.ts';
export {
  GrantedTakeover,
  ResumeRequest,
  Takeover,
  TakeoverClientRequest,
  TakeoverRenewal,
  TakeoverRequest,
} from './tasks/takeover.ts';
export {
  AgentHistory,
  CancelRequest,
  Evidence,
  Execution,
  ExecutionStep,
  InboxItem,
  InboxVersion,
  LogEntry,
  LogLevel,
  MessageState,
  Observation,
  Planner,
  Screenshot,
  TakeoverSignal,
  Task,
  TaskFile,
  TaskProgress,
  TaskResult,
  TaskStatus,
  TaskSummary,
} from './tasks/task.ts';
export { Verdict } from './tasks/verdict.ts';
export { BrowserRoute, Frame, ImageType, OpenPage, Overlay, PageTrouble, PrivateReason } from './tasks/view.ts';
export { AppError } from './types/app-error.ts';
export { errors } from './types/error-codes.ts';
export { ErrorCode, Problem } from './types/errors.ts';
export { IdParam, Uuid7 } from './types/id.ts';
export { isId } from './types/is-id.ts';
export { isStorableJson, Json, JsonObject, maxJsonDepth } from './types/json.ts';
export { Cursor, NextCursor, Page } from './types/query.ts';
export {
  type BodyIn,
  type BodyOf,
  bodyLimits,
  type EventOf,
  type HeadersIn,
  type HeadersOf,
  noContent,
  type ParamsIn,
  type ParamsOf,
  type QueryIn,
  type QueryOf,
  type ReplyOf,
  type Route,
  Success,
} from './types/route.ts';
export { mentionsSecret, type SecretRef, secretName, secretRefOf, secretRefsIn } from './types/secret-name.ts';
export { sizes, taskLimits } from './types/sizes.ts';
export { isStorableText, text } from './types/text.ts';
export { Timestamp } from './types/time.ts';
export { WebUrl } from './types/url.ts';
