export {
  ApiKey,
  ChangePasswordRequest,
  CreateKeyRequest,
  Login,
  LoginRequest,
  LogoutRequest,
  NewApiKey,
  NewPassword,
  RefreshRequest,
  RegisterRequest,
  Role,
  TokenReply,
  User,
  UserClaims,
} from './auth.ts';
export { BundledEvent, maxBundled, readBundledStream } from './bundle.ts';
export { ChatReply, ChatRequest, PlanReply } from './chat.ts';
export { AppError, ErrorCode, errors, Problem } from './errors.ts';
export {
  LiveEvent,
  type LoggedLiveKind,
  type LoggedTaskKind,
  loggedLiveKinds,
  loggedTaskKinds,
  passingLiveKinds,
  passingTaskKinds,
  type RecordedEvent,
  TaskEvent,
} from './events.ts';
export type { GivenFiles } from './given-files.ts';
export { IdParam, isId, Uuid7 } from './id.ts';
export { isStorableJson, Json, JsonObject, maxJsonDepth } from './json.ts';
export { Pointer, PointerAction, PointerRequest } from './pointer.ts';
export { Cursor, NextCursor, Page } from './query.ts';
export { RecordedFrame, RecordingItem } from './recording.ts';
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
} from './route.ts';
export { type RouteName, routes } from './routes.ts';
export { isScript, type ParsedScript, parseScript, type ScriptError } from './script/parse.ts';
export { printScript } from './script/print.ts';
export { HealthReply, ReadyReply } from './service.ts';
export {
  CreateProfileRequest,
  CreateSessionRequest,
  Navigation,
  Profile,
  Session,
  Share,
  ShareRequest,
  Snapshot,
} from './session.ts';
export {
  BrowserState,
  canMove,
  isTerminal,
  type Move,
  type SessionMove,
  SessionState,
  sessionMoves,
  type TakeoverMove,
  TakeoverState,
  type TaskMove,
  TaskState,
  type TerminalTaskState,
  takeoverMoves,
  taskMoves,
  terminalTaskStates,
} from './states.ts';
export { type Action, Condition, maxSteps, Plan, Step, Target } from './step.ts';
export { GrantedTakeover, ResumeRequest, Takeover, TakeoverRequest } from './takeover.ts';
export {
  AgentHistory,
  CancelRequest,
  Evidence,
  Execution,
  ExecutionStep,
  InboxItem,
  LogEntry,
  LogLevel,
  MessageState,
  Observation,
  Planner,
  Question,
  Screenshot,
  TakeoverSignal,
  Task,
  TaskFile,
  TaskProgress,
  TaskResult,
  TaskStatus,
  TaskSummary,
} from './task.ts';
export { isStorableText, text } from './text.ts';
export { Timestamp } from './time.ts';
export { WebUrl } from './url.ts';
export { BrowserRoute, Frame, ImageType, Overlay } from './view.ts';
