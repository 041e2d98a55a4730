// The store: everything that Pilothouse keeps in PostgreSQL, and its blobs.

import { createKeys } from './accounts/api-keys.ts';
import { createAudit } from './accounts/audit.ts';
import { createIdempotency } from './accounts/idempotency.ts';
import { createInvites } from './accounts/invites.ts';
import { createLogins } from './accounts/logins.ts';
import { createModelBudget } from './accounts/model-budget.ts';
import { passwords } from './accounts/passwords.ts';
import { createQuotas } from './accounts/quotas.ts';
import { createLimits } from './accounts/rate-limits.ts';
import { createSecrets } from './accounts/secrets.ts';
import { createStoredBytes } from './accounts/stored-bytes.ts';
import { createTokenHolders } from './accounts/token-holders.ts';
import { createTokenRotation, type Lifetimes } from './accounts/token-rotation.ts';
import { createTypedSecrets } from './accounts/typed-secrets.ts';
import { createUserPolicies } from './accounts/user-policies.ts';
import { createUsers } from './accounts/users.ts';
import { createAdminReads } from './admin/admin-reads.ts';
import type { Blobs } from './blobs/blobs.ts';
import { createFileBlobs } from './blobs/file-blobs.ts';
import { type Database, openDatabase } from './db/db.ts';
import { createSealer, type Sealer } from './db/encryption.ts';
import { createJobClaims } from './db/job-claims.ts';
import { createAgents } from './fleet/agents.ts';
import { createBrowserQueue } from './fleet/browser-queue.ts';
import { createInstallationFigures } from './fleet/figures.ts';
import { createGlance } from './fleet/glance.ts';
import { createHostChoice } from './fleet/host-choice.ts';
import { createHostJoins } from './fleet/host-joins.ts';
import { createHosts } from './fleet/hosts.ts';
import { createIdleBrowsers } from './fleet/idle-browsers.ts';
import { createMisplacedBrowsers } from './fleet/misplaced-browsers.ts';
import { createMoves } from './fleet/moves.ts';
import { createPlacement } from './fleet/placement.ts';
import { createSavedStates, createStateEncoding } from './fleet/saved-states.ts';
import { createSpareBrowsers } from './fleet/spare-browsers.ts';
import { createTaskWaits } from './fleet/task-waits.ts';
import { createApprovals } from './ledger/approvals.ts';
import { createDecisions } from './ledger/decisions.ts';
import { createExecutions } from './ledger/executions.ts';
import { createFileRemoval } from './ledger/file-removal.ts';
import { createFiles } from './ledger/files.ts';
import { createModelCalls } from './ledger/model-calls.ts';
import { createObservations } from './ledger/observations.ts';
import { createSteps } from './ledger/steps.ts';
import { createBands } from './recordings/bands.ts';
import { createFrames } from './recordings/frames.ts';
import { createRecorders } from './recordings/recorders.ts';
import { createRecordings } from './recordings/recordings.ts';
import { createRetention } from './recordings/retention.ts';
import { createKnownBlobs } from './retention/known-blobs.ts';
import { createMaintenance } from './retention/maintenance.ts';
import { createOldDetails } from './retention/old-details.ts';
import { createOldEvents } from './retention/old-events.ts';
import { createOldRows } from './retention/old-rows.ts';
import { createChange, type OnChanged } from './sessions/change.ts';
import { createEventBounds } from './sessions/event-bounds.ts';
import { createEvents, ensureEventPartitions } from './sessions/events.ts';
import { createLogs } from './sessions/logs.ts';
import { createProfileLending } from './sessions/profile-lending.ts';
import { createProfiles } from './sessions/profiles.ts';
import { createReports } from './sessions/report-limits.ts';
import { createSessionReads } from './sessions/session-reads.ts';
import { createSessions } from './sessions/sessions.ts';
import { createShares } from './sessions/shares.ts';
import { createViewers } from './sessions/viewers.ts';
import { createPointers } from './takeovers/pointers.ts';
import { createTakeoverQueries } from './takeovers/takeover-queries.ts';
import { takeoverRows } from './takeovers/takeovers.ts';
import { createLostRuns } from './tasks/lost-runs.ts';
import { createQuestions } from './tasks/questions.ts';
import { createStuck } from './tasks/stuck-tasks.ts';
import { createTaskExecution } from './tasks/task-execution.ts';
import { createTaskMessages } from './tasks/task-messages.ts';
import { createTaskQueue } from './tasks/task-queue.ts';
import { createTasks } from './tasks/tasks.ts';
import { createWaits } from './tasks/waiting-tasks.ts';
import { createCancels } from './transitions/cancel.ts';
import { createOwnTakeovers } from './transitions/own-takeover.ts';
import { createProgramTasks } from './transitions/program-tasks.ts';
import { createPrograms } from './transitions/programs.ts';
import { createPurge } from './transitions/purge.ts';
import { createTakeoverRequests } from './transitions/request-takeover.ts';
import { createReseal } from './transitions/reseal.ts';
import { createTakeoverReturns } from './transitions/return-takeover.ts';
import { createTakeoverEvents } from './transitions/takeover-events.ts';
import { createTellConversation } from './transitions/task-conversation.ts';
import { createInboxStates } from './views/inbox-states.ts';
import { createTaskEvidence } from './views/task-evidence.ts';
import { createTaskReads } from './views/task-reads.ts';

export type StoreOptions = {
  url: string;
  /** The name of this process in the list of the database's connections. */
  name?: string;
  poolSize?: number;
  /** How long a sign of life may take in the database: less than the shortest lease. */
  vitalMs?: number;
  /** Called when an idle connection has broken. */
  onError: (error: Error) => void;
  /** Called after each committed change of a session, to announce it. */
  onChanged?: OnChanged;
  /** Called after each commit that made tasks due, to tell an agent. */
  onQueued?: () => void;
  /** The lifetimes of tokens and logins. */
  lifetimes?: Lifetimes;
  /** The keys of saved browser states: the first encrypts, all decrypt. */
  profileKeys?: readonly Uint8Array[];
} & (
  | { blobDir: string }
  /** Closed with the store. */
  | { blobs: Blobs }
);

const defaultLifetimes: Lifetimes = { accessSecs: 900, refreshIdleSecs: 14 * 86_400, loginSecs: 30 * 86_400 };
/** How long a used refresh token may be sent again, by a client that lost the reply. */
const retrySecs = 10;

export function openStore(options: StoreOptions) {
  const { url, onChanged = () => {}, lifetimes = defaultLifetimes, profileKeys = [] } = options;
  const database = openDatabase(options);
  const sessions = { ...createSessions(database), ...createSessionReads(database) };
  const sealer = createSealer(profileKeys);
  const profiles = { ...createProfiles(database, sealer), ...createProfileLending(sealer) };
  const encoding = createStateEncoding(sealer);
  const browsers = {
    ...createPlacement(database, encoding),
    ...createSavedStates({ encoding, profiles }),
    ...createIdleBrowsers(database),
    ...createMisplacedBrowsers(database),
  };
  const tasks = createTasks(database);
  const logs = createLogs(database);
  const steps = createSteps(database);
  const taskMessages = createTaskMessages(database);
  const tellConversation = createTellConversation({ steps, taskMessages });
  const takeoverEvents = createTakeoverEvents({ sessions, logs });
  const takeoverChanges = createTakeoverChanges({
    tasks,
    browsers,
    events: takeoverEvents,
    taskMessages,
    tellConversation,
  });
  return {
    ...createAccounts(database, lifetimes),
    sessions,
    shares: createShares(database),
    events: createSessionEvents(database),
    tasks: { ...tasks, ...createTaskExecution(database), ...createTaskReads(database), ...createInboxStates(database) },
    queue: { ...createTaskQueue(database), ...createLostRuns(database) },
    executions: createExecutions(database),
    steps,
    ...createDecided(database),
    stuck: createStuck(database),
    observations: createObservations(database),
    evidence: createTaskEvidence(database),
    logs,
    files: { ...createFiles(database), ...createFileRemoval(database) },
    frames: createFrames(database),
    browsers,
    browserTurns: { ...createBrowserQueue(database), ...createTaskWaits(database), ...createSpareBrowsers(database) },
    takeovers: { ...createTakeoverQueries(database), ...takeoverChanges },
    ...createSteering(database, { logs, tellConversation }),
    recordings: { ...createRecordings(database), ...createBands(database) },
    recorders: createRecorders(database),
    retention: createRetention(database),
    ...createRemovals(database),
    reports: createReports(database),
    profiles,
    ...createSealedValues(database, sealer),
    questions: createQuestions(),
    taskMessages,
    tellConversation,
    viewers: createViewers(database),
    waits: createWaits(database),
    cancels: createCancels({ takeovers: takeoverChanges, tellConversation }),
    purge: createPurge(),
    quotas: createQuotas(),
    modelBudget: createModelBudget(database),
    storedBytes: createStoredBytes(database),
    idempotency: createIdempotency(database),
    hosts: { ...createHosts(database), ...createHostChoice(database) },
    hostJoins: createHostJoins(database),
    agents: createAgents(database, url),
    ...createOverviews(database),
    jobClaims: createJobClaims(database),
    moves: createMoves(database),
    transaction: database.transaction,
    change: createChange({ database, sessions, onChanged }),
    ping: database.ping,
    isSuperuser: database.isSuperuser,
    ...createBlobs(database, options),
  };
}
export type Store = ReturnType<typeof openStore>;

/** What agents and operators are told of everything, at once or page by page. */
const createOverviews = (database: Database) => ({
  glance: createGlance(database),
  figures: createInstallationFigures(database),
  adminReads: createAdminReads(database),
});

/** The blobs, and what closes everything. */
function createBlobs(database: Database, options: StoreOptions) {
  const blobs = 'blobs' in options ? options.blobs : createFileBlobs(options.blobDir);
  return { blobs, close: () => database.close().finally(blobs.close) };
}

/** Where the front end of a session points, the programs that drive it, and what they do. */
const createSteering = (database: Database, telling: Parameters<typeof createProgramTasks>[1]) => ({
  pointers: createPointers(database),
  programs: createPrograms(database),
  programTasks: createProgramTasks(database, telling),
});

/** What models decided, and what people said to it. */
const createDecided = (database: Database) => ({
  decisions: createDecisions(database),
  approvals: createApprovals(database),
  modelCalls: createModelCalls(database),
});

/** What is sealed beside the states of browsers, and what seals everything again. */
const createSealedValues = (database: Database, sealer: Sealer) => ({
  secrets: { ...createSecrets(database, sealer), ...createTypedSecrets(database, sealer) },
  reseal: createReseal(database, sealer),
});

/** Who may call, and how often. */
const createAccounts = (database: Database, lifetimes: Lifetimes) => ({
  users: { ...createUsers(database), ...passwords },
  invites: createInvites(database),
  logins: {
    ...createLogins(database),
    ...createTokenHolders(database),
    ...createTokenRotation({ ...lifetimes, retrySecs }),
  },
  userPolicies: createUserPolicies(database),
  keys: createKeys(database),
  limits: createLimits(database),
  audit: createAudit(database),
});

const createSessionEvents = (database: Database) => ({
  ...createEvents(database),
  ...createEventBounds(database),
  ensurePartitions: (daysAhead: number) => ensureEventPartitions(database, daysAhead),
});

/** Begins, changes and ends takeovers. */
function createTakeoverChanges(
  parts: Omit<Parameters<typeof createTakeoverRequests>[0] & Parameters<typeof createTakeoverReturns>[0], 'takeovers'>,
) {
  const options = { ...parts, takeovers: takeoverRows };
  return { ...createTakeoverRequests(options), ...createOwnTakeovers(options), ...createTakeoverReturns(options) };
}

/** What is removed by age. */
const createRemovals = (database: Database) => ({
  maintenance: createMaintenance(database),
  oldDetails: createOldDetails(database),
  oldEvents: createOldEvents(database),
  oldRows: createOldRows(database),
  knownBlobs: createKnownBlobs(database),
});
