// Builds the chat service, and serves its routes.

import type { Store } from '@pilothouse/store';
import type { Serve } from '../http/serve.ts';
import type { OpenSession } from '../sessions/open-session.ts';
import type { Quotas } from '../sessions/quotas.ts';
import { createBeginTask } from './begin-task.ts';
import { chatRoutes } from './chat.routes.ts';
import { createChatService } from './chat.service.ts';
import type { FindPlanners } from './plan.ts';

type Options = {
  store: Store;
  quotas: Quotas;
  openSession: OpenSession;
  findPlanners: FindPlanners;
};

export function mountChat(serve: Serve, { store, quotas, openSession, findPlanners }: Options): void {
  const beginTask = createBeginTask({ store, quotas });
  chatRoutes(serve, createChatService({ store, quotas, openSession, beginTask, findPlanners }));
}
