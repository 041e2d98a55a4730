// Builds the services of takeovers, and serves their routes.

import type { BrowserHold, HostClient } from '@pilothouse/fleet';
import type { Store } from '@pilothouse/store';
import type { Serve } from '../http/serve.ts';
import { createInputService } from './input.service.ts';
import type { LastInputSeqOf } from './input-count.ts';
import { createPointerService } from './pointer.service.ts';
import { createSessionTakeovers } from './session-takeover.service.ts';
import { takeoverRoutes } from './takeover.routes.ts';
import { createTakeovers } from './takeover.ts';
import { createTaskTakeovers, type TaskTakeovers } from './task-takeover.service.ts';

type Options = {
  store: Store;
  hosts: HostClient;
  lastInputSeqOf: LastInputSeqOf;
  onSilent: (hold: BrowserHold) => void;
};

/** Returns the takeovers of tasks, which a command of a task can begin, too. */
export function mountTakeover(serve: Serve, { store, hosts, lastInputSeqOf, onSilent }: Options): TaskTakeovers {
  const takeovers = createTakeovers({ store, hosts, lastInputSeqOf });
  const ofTasks = createTaskTakeovers({ store, takeovers });
  takeoverRoutes(serve, {
    ofSessions: createSessionTakeovers({ store, takeovers }),
    ofTasks,
    pointer: createPointerService({ store, input: createInputService({ store, hosts, onSilent }) }),
  });
  return ofTasks;
}
