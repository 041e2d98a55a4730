// Builds the chat service, and serves its routes.

import type { Bus } from '@pilothouse/bus';
import type { Store } from '@pilothouse/store';
import type { Serve } from '../http/serve.ts';
import type { OpenSession } from '../sessions/open-session.ts';
import type { Quotas } from '../sessions/quotas.ts';
import { createBeginTask } from './begin-task.ts';
import { chatRoutes } from './chat.routes.ts';
import { createChatService } from './chat.service.ts';
import { createDecideChat } from './named-secrets.ts';
import type { FindPlanners } from './plan.ts';
import { createPlanAhead } from './plan-ahead.ts';

type Options = {
  store: Store;
  bus: Pick<Bus, 'request'>;
  quotas: Quotas;
  openSession: OpenSession;
  findPlanners: FindPlanners;
};

export function mountChat(serve: Serve, { store, bus, quotas, openSession, findPlanners }: Options): void {
  const beginTask = createBeginTask({ store, quotas });
  const planAhead = createPlanAhead({ bus });
  const decide = createDecideChat(store, findPlanners);
  chatRoutes(serve, createChatService({ store, quotas, openSession, beginTask, decide, planAhead }));
}
