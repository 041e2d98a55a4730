// Builds the services of sessions, and serves their routes.

import { createRedactorOf, type HostClient } from '@pilothouse/fleet';
import type { Log } from '@pilothouse/process';
import type { Store } from '@pilothouse/store';
import type { Serve } from '../http/serve.ts';
import type { EventHub } from '../live/event-hub.ts';
import type { FrameHub } from '../live/frame-hub.ts';
import type { ViewerCount } from '../live/viewer-count.ts';
import { createCloseService } from './close.service.ts';
import { createCloseBrowser } from './close-browser.ts';
import { sessionCommandRoutes } from './commands.routes.ts';
import type { OpenSession } from './open-session.ts';
import { createPageViews } from './page-view.service.ts';
import { createProfilesService } from './profiles.service.ts';
import type { Quotas } from './quotas.ts';
import { createSessionReads } from './session-reads.ts';
import { createSessionStream, type FollowSession } from './session-stream.ts';
import { sessionsRoutes } from './sessions.routes.ts';
import { createSessionsService } from './sessions.service.ts';
import { createShareService } from './share.service.ts';
import { createSnapshots, type LastInputSeqOf } from './snapshot.ts';

type Options = {
  store: Store;
  hosts: HostClient;
  log: Log;
  quotas: Quotas;
  openSession: OpenSession;
  events: EventHub;
  frames: FrameHub;
  viewers: ViewerCount;
  lastInputSeqOf: LastInputSeqOf;
  /** Called once a share is over, so that its guests are sent away. */
  onShareRevoked: (sessionId: string) => void;
};

/** Returns what follows a session, for streams that carry several. */
export function mountSessions(serve: Serve, options: Options): FollowSession {
  const { store, hosts, log, quotas, openSession, events, frames, viewers, onShareRevoked } = options;
  const reads = createSessionReads({ store, snapshotOf: createSnapshots(options) });
  const follow = createSessionStream({ store, reads, events, frames, viewers });
  const viewPage = createPageViews({ store, hosts, reads, redactorOf: createRedactorOf(store) });
  sessionsRoutes(serve, { sessions: createSessionsService({ store, reads, openSession }), viewPage, follow });
  const onClosed = createCloseBrowser({ store, hosts, log });
  sessionCommandRoutes(serve, {
    closing: createCloseService({ store, onClosed, onShareRevoked }),
    sharing: createShareService({ store, reads, onShareRevoked }),
    profiles: createProfilesService({ store, quotas }),
  });
  return follow;
}
