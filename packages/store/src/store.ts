import { createAgents } from './agents.ts';
import { createAudit } from './audit.ts';
import { createFileBlobs } from './blobs.ts';
import { createBrowsers } from './browsers.ts';
import { createChange, type OnChanged } from './change.ts';
import { openDatabase } from './db.ts';
import { createEvents } from './events.ts';
import { createFrames } from './frames.ts';
import { createHosts } from './hosts.ts';
import { createKeys } from './keys.ts';
import { createLimits } from './limits.ts';
import { createLogins, type Lifetimes } from './logins.ts';
import { createObservations } from './observations.ts';
import { createSessions } from './sessions.ts';
import { createSteps } from './steps.ts';
import { createTasks } from './tasks.ts';
import { createUsers } from './users.ts';

export type StoreOptions = {
  url: string;
  blobDir: string;
  poolSize?: number;
  /** Told of connections that broke while nobody used them. */
  onError: (error: Error) => void;
  /** Told after each committed change of a session, to announce it. */
  onChanged?: OnChanged;
  /** How long tokens and logins live. */
  lifetimes?: Lifetimes;
};

const defaultLifetimes: Lifetimes = { accessSecs: 900, refreshIdleSecs: 14 * 86_400, loginSecs: 30 * 86_400 };
/** How long the parent of a refresh token may be shown again, by a client that lost the answer. */
const retrySecs = 10;

/** All that Pilothouse remembers. */
export function openStore({
  url,
  blobDir,
  poolSize,
  onError,
  onChanged = () => {},
  lifetimes = defaultLifetimes,
}: StoreOptions) {
  const database = openDatabase({ url, poolSize, onError });
  const sessions = createSessions(database);
  const events = createEvents(database);
  return {
    users: createUsers(database),
    logins: createLogins(database, { ...lifetimes, retrySecs }),
    keys: createKeys(database),
    limits: createLimits(database),
    audit: createAudit(database),
    sessions,
    events,
    tasks: createTasks(database),
    steps: createSteps(database),
    observations: createObservations(database),
    frames: createFrames(database),
    browsers: createBrowsers(database),
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
