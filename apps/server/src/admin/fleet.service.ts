// What the installation does, for administrators: figures, hosts and their limits, agents, and the tasks of all users.

import { AppError, type BodyOf, type QueryOf, type ReplyOf, type routes } from '@pilothouse/contract';
import { cached } from '@pilothouse/process';
import type { Caller, Store } from '@pilothouse/store';
import { requireAdmin } from '../auth/require-admin.ts';
import type { From } from '../http/call.ts';
import { viewAgent, viewHost, viewOverview, viewTask } from './admin.view.ts';
import { auditAdminList } from './audit.service.ts';
import { auditEventOf } from './command.ts';
import { createFindUser } from './find-user.ts';

type Routes = typeof routes;

/** However many administrators look, the figures are counted once in this time. */
const figuresMs = 2000;

export function createAdminFleet({ store }: { store: Store }) {
  const findUser = createFindUser(store);
  const readOverview = cached(async () => {
    const { figures } = store;
    return viewOverview(...(await Promise.all([figures.tasks(), figures.fleet(), figures.ended()])));
  }, figuresMs);

  return {
    async overview(caller: Caller): Promise<ReplyOf<Routes['getAdminOverview']>> {
      requireAdmin(caller);
      return { success: true, overview: await readOverview() };
    },

    async hosts(caller: Caller, page: QueryOf<Routes['listAdminHosts']>): Promise<ReplyOf<Routes['listAdminHosts']>> {
      requireAdmin(caller);
      const { rows, nextCursor } = await store.adminReads.hosts(page);
      return { success: true, hosts: rows.map(viewHost), next_cursor: nextCursor };
    },

    async changeHost(
      caller: Caller,
      id: string,
      { max_sessions }: BodyOf<Routes['changeHost']>,
      { address }: From,
    ): Promise<ReplyOf<Routes['changeHost']>> {
      requireAdmin(caller);
      await store.transaction(async (tx) => {
        const isKnown = /^[A-Za-z0-9_-]{1,128}$/.test(id) && (await store.hosts.changeLimit(tx, id, max_sessions));
        if (!isKnown) throw new AppError('not_found');
        const data = { host: id, max_sessions };
        await store.audit.add(
          { event: auditEventOf('host'), outcome: 'success', actorId: caller.id, address, data },
          tx,
        );
      });
      return { success: true, max_sessions };
    },

    async agents(
      caller: Caller,
      page: QueryOf<Routes['listAdminAgents']>,
    ): Promise<ReplyOf<Routes['listAdminAgents']>> {
      requireAdmin(caller);
      const { rows, nextCursor } = await store.adminReads.agents(page);
      return { success: true, agents: rows.map(viewAgent), next_cursor: nextCursor };
    },

    async tasks(
      caller: Caller,
      query: QueryOf<Routes['listAdminTasks']>,
      { address }: From,
    ): Promise<ReplyOf<Routes['listAdminTasks']>> {
      requireAdmin(caller);
      const { user, waits_for: cause, older_than_secs: olderThanSecs, status, limit, cursor } = query;
      const userId = user === undefined ? undefined : (await findUser(user)).id;
      const filter = { status, userId, cause, olderThanSecs, limit, cursor };
      const { rows, nextCursor } = await store.adminReads.tasks(filter);
      await auditAdminList(store, caller, address, { list: 'tasks', ...(user !== undefined && { user }) });
      return { success: true, tasks: rows.map(viewTask), next_cursor: nextCursor };
    },
  };
}
