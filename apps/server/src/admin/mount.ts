// The routes of administrators.

import { routes } from '@pilothouse/contract';
import type { Store } from '@pilothouse/store';
import type { OnRevoked } from '../auth/logout.service.ts';
import type { Serve } from '../http/serve.ts';
import { StreamedAnswer } from '../http/streamed-answers.ts';
import { createAuditService } from './audit.service.ts';
import { createAdminFleet } from './fleet.service.ts';
import { createAdminUsers } from './users.service.ts';

export function mountAdmin(serve: Serve, { store, onRevoked }: { store: Store; onRevoked: OnRevoked }): void {
  const users = createAdminUsers({ store, onRevoked });
  const fleet = createAdminFleet({ store });
  const audit = createAuditService({ store });

  serve(routes.getAdminOverview, ({ caller }) => fleet.overview(caller));
  serve(routes.listAdminUsers, ({ caller, query, from }) => users.list(caller, query, from));
  serve(routes.changeUser, ({ caller, params, body, from }) => users.change(caller, params.id, body, from));
  serve(routes.listAdminHosts, ({ caller, query }) => fleet.hosts(caller, query));
  serve(routes.changeHost, ({ caller, params, body, from }) => fleet.changeHost(caller, params.id, body, from));
  serve(routes.listAdminAgents, ({ caller, query }) => fleet.agents(caller, query));
  serve(routes.listAdminTasks, ({ caller, query, from }) => fleet.tasks(caller, query, from));
  serve(routes.listAudit, ({ caller, query, from }) => audit.list(caller, query, from));
  serve(routes.exportAudit, async ({ caller, query, from }) => {
    const { fileName, contentType, write } = await audit.take(caller, query, from);
    const headers = { 'content-disposition': `attachment; filename="${fileName}"`, 'cache-control': 'no-store' };
    return new StreamedAnswer(write, contentType, headers);
  });
}
