// The public interface of the store.

export type { KeyRow } from './accounts/api-keys.ts';
export type { AuditEntry } from './accounts/audit.ts';
export type { EarlierRequest } from './accounts/idempotency.ts';
export type { InviteRow } from './accounts/invites.ts';
export type { LoginRow } from './accounts/logins.ts';
export {
  hasModelLimits,
  type ModelLimits,
  type ModelUseToday,
  noModelLimits,
  usedUpToday,
} from './accounts/model-budget.ts';
export type { Limit, Limiter, Spent } from './accounts/rate-limits.ts';
export type { SecretRow } from './accounts/secrets.ts';
export type { StoredTotals } from './accounts/stored-bytes.ts';
export type { TokenHolder } from './accounts/token-holders.ts';
export type { Lifetimes } from './accounts/token-rotation.ts';
export { type Caller, isBuiltIn, localUser, type UserRow } from './accounts/users.ts';
export type { AllTasksFilter, TaskStandingOfAll } from './admin/all-tasks.ts';
export type { AuditFilter, AuditRow } from './admin/audit-reads.ts';
export type { AgentStanding, HostStanding } from './admin/fleet-reads.ts';
export type { UserStanding } from './admin/user-reads.ts';
export { type Blobs, BlobsUnavailable } from './blobs/blobs.ts';
export { type CopyCounts, copyBlobs } from './blobs/copy-blobs.ts';
export { type BlobPlace, BucketRefused, openBlobs } from './blobs/open-blobs.ts';
export { isDatabaseUnavailable, type Tx } from './db/db.ts';
export { newId } from './db/ids.ts';
export { migrate } from './db/migrate.ts';
export { isPooled } from './db/pooled.ts';
export { storableJson, storableText } from './db/storable.ts';
export type { FleetFigures, TaskFigures } from './fleet/figures.ts';
export type { Glance } from './fleet/glance.ts';
export type { HeldBrowser } from './fleet/host-hold.ts';
export type { JoinBounds, JoinRefusal } from './fleet/host-joins.ts';
export type { HostReport, ReportedSession } from './fleet/hosts.ts';
export type { IdleBrowser } from './fleet/idle-browsers.ts';
export type { Orphan } from './fleet/misplaced-browsers.ts';
export type { DriverChange } from './fleet/placement.ts';
export type { ApprovalRow, NewApproval } from './ledger/approvals.ts';
export type { DecisionView as DecisionViewRow } from './ledger/decision-views.ts';
export type {
  DecisionRow,
  DecisionWords,
  ListedDecision,
  NewDecision,
  NewestDecision,
} from './ledger/decisions.ts';
export type { ExecutionRow } from './ledger/executions.ts';
export type { FileRow, NewFile } from './ledger/files.ts';
export type { CallEnd, ModelCallRow, ModelUsage } from './ledger/model-calls.ts';
export type { ObservationRow } from './ledger/observations.ts';
export type { StepRow } from './ledger/steps.ts';
export { strikeTyped, typedTextsOf } from './ledger/typed-text.ts';
export type { BandRow } from './recordings/bands.ts';
export type { FrameRow } from './recordings/frames.ts';
export type { ToRecord } from './recordings/recorders.ts';
export type { RecordedFrameRow, RecordingRow } from './recordings/recordings.ts';
export type { Passed, RemoveBlobs } from './recordings/retention.ts';
export { type Detail, detailNames } from './retention/old-details.ts';
export type { TrimPosition } from './retention/old-events.ts';
export type { Append, Change } from './sessions/change.ts';
export type { AppendedEvent, NewEvent } from './sessions/event-writes.ts';
export type { StoredEvent } from './sessions/events.ts';
export type { LogRow, NewLog } from './sessions/logs.ts';
export type { ProfileRow } from './sessions/profiles.ts';
export type { ListedSessionRow, ReadSession, SessionRow } from './sessions/session-reads.ts';
export { type Guest, isGuest } from './sessions/shares.ts';
export { openStore, type Store, type StoreOptions } from './store.ts';
export type { PointerRow } from './takeovers/pointers.ts';
export type { Driver, PastTakeover } from './takeovers/takeover-queries.ts';
export { type TakeoverRow, takeoverOf } from './takeovers/takeovers.ts';
export { type Answer, answersOf, type NewQuestion, planItemsOf, planText, questionOf } from './tasks/questions.ts';
export type { StuckTask } from './tasks/stuck-tasks.ts';
export type { TaskMessageRow } from './tasks/task-messages.ts';
export type { ClaimedRun } from './tasks/task-queue.ts';
export type { TaskRow } from './tasks/tasks.ts';
export type { PageWait } from './tasks/waiting-tasks.ts';
export type { ProgramLine } from './transitions/program-tasks.ts';
export type { ProgramStanding } from './transitions/programs.ts';
export { blobsOf } from './transitions/purge.ts';
export { type InboxState, inboxKeyOf } from './views/inbox-states.ts';
export { messageStateOf } from './views/messages.ts';
export {
  attemptOf,
  historyOf,
  progressOf,
  sessionStateOf,
  stepIdOf,
  taskTitleOf,
  titleOf,
  withoutCredentials,
} from './views/progress.ts';
export type { KeptFrame } from './views/task-evidence.ts';
export type { InboxRow, ListedTask, TaskStanding } from './views/task-reads.ts';
