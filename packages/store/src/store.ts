import { createAgents } from './agents.ts';
import { createAudit } from './audit.ts';
import { createFileBlobs } from './blobs.ts';
import { createBrowsers } from './browsers.ts';
import { createCancels } from './cancels.ts';
import { createChange, type OnChanged } from './change.ts';
import { openDatabase } from './db.ts';
import { createEvents } from './events.ts';
import { createExecutions } from './executions.ts';
import { createFiles } from './files.ts';
import { createFrames } from './frames.ts';
import { createHosts } from './hosts.ts';
import { createIdempotency } from './idempotency.ts';
import { createKeys } from './keys.ts';
import { createLimits } from './limits.ts';
import { createLogins, type Lifetimes } from './logins.ts';
import { createLogs } from './logs.ts';
import { createObservations } from './observations.ts';
import { createPointers } from './pointers.ts';
import { createProfiles } from './profiles.ts';
import { createPurge } from './purge.ts';
import { createQuestions } from './questions.ts';
import { createQuotas } from './quotas.ts';
import { createRecorders } from './recorders.ts';
import { createRecordings } from './recordings.ts';
import { createRetention } from './retention.ts';
import { createSealer } from './seal.ts';
import { createSessions } from './sessions.ts';
import { createShares } from './shares.ts';
import { createSteps } from './steps.ts';
import { createStuck } from './stuck.ts';
import { createTakeovers } from './takeovers.ts';
import { createTaskReads } from './task-reads.ts';
import { createTasks } from './tasks.ts';
import { createUsers } from './users.ts';
import { createViewers } from './viewers.ts';
import { createWaits } from './waits.ts';
import { createWheel } from './wheel.ts';

export type StoreOptions = {
  url: string;
  /** Who this is, for whoever looks at the connections of the database. */
  name?: string;
  blobDir: string;
  poolSize?: number;
  /** Told of connections that broke while nobody used them. */
  onError: (error: Error) => void;
  /** Told after each committed change of a session, to announce it. */
  onChanged?: OnChanged;
  /** How long tokens and logins live. */
  lifetimes?: Lifetimes;
  /** What saved browser states are sealed with: the first seals, all open. */
  profileKeys?: readonly Uint8Array[];
};

const defaultLifetimes: Lifetimes = { accessSecs: 900, refreshIdleSecs: 14 * 86_400, loginSecs: 30 * 86_400 };
/** How long the parent of a refresh token may be shown again, by a client that lost the answer. */
const retrySecs = 10;

/** All that Pilothouse remembers. */
export function openStore({
  url,
  name,
  blobDir,
  poolSize,
  onError,
  onChanged = () => {},
  lifetimes = defaultLifetimes,
  profileKeys = [],
}: StoreOptions) {
  const database = openDatabase({ url, name, poolSize, onError });
  const sessions = createSessions(database);
  const events = createEvents(database);
  const sealer = createSealer(profileKeys);
  const profiles = createProfiles(database, sealer);
  const browsers = createBrowsers(database, { sealer, profiles });
  const tasks = createTasks(database);
  const logs = createLogs(database);
  const takeovers = createTakeovers(database);
  const wheel = createWheel({ takeovers, tasks, sessions, browsers, logs });
  return {
    users: createUsers(database),
    logins: createLogins(database, { ...lifetimes, retrySecs }),
    keys: createKeys(database),
    limits: createLimits(database),
    audit: createAudit(database),
    sessions,
    shares: createShares(database),
    events,
    tasks: { ...tasks, ...createTaskReads(database) },
    executions: createExecutions(database),
    steps: createSteps(database),
    stuck: createStuck(database),
    observations: createObservations(database),
    logs,
    files: createFiles(database),
    frames: createFrames(database),
    browsers,
    takeovers,
    wheel,
    pointers: createPointers(database),
    recordings: createRecordings(database),
    recorders: createRecorders(database),
    retention: createRetention(database),
    profiles,
    questions: createQuestions(),
    viewers: createViewers(database),
    waits: createWaits(database),
    cancels: createCancels(wheel),
    purge: createPurge(),
    quotas: createQuotas(),
    idempotency: createIdempotency(database),
    hosts: createHosts(database),
    agents: createAgents(database, url),
    blobs: createFileBlobs(blobDir),
    transaction: database.transaction,
    change: createChange({ database, sessions, events, onChanged }),
    ping: database.ping,
    close: database.close,
  };
}
export type Store = ReturnType<typeof openStore>;
