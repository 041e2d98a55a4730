// Builds the chat service, and serves its routes.

import type { Store, Work } from '@pilothouse/store';
import type { Serve } from '../http/serve.ts';
import type { OpenSession } from '../sessions/open-session.ts';
import type { Quotas } from '../sessions/quotas.ts';
import { createBeginTask } from './begin-task.ts';
import { chatRoutes } from './chat.routes.ts';
import { createChatService } from './chat.service.ts';
import type { Planners } from './plan.ts';

type Options = {
  store: Store;
  work: Work;
  quotas: Quotas;
  openSession: OpenSession;
  planners: Planners;
  /** Called once new work is committed. */
  onQueued: () => void;
};

export function mountChat(serve: Serve, { store, work, quotas, openSession, planners, onQueued }: Options): void {
  const beginTask = createBeginTask({ store, work, quotas, onQueued });
  chatRoutes(serve, createChatService({ store, quotas, openSession, beginTask, planners }));
}
