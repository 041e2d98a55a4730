// The audit for administrators: listed, and taken as a file. That it was read is in the audit, too.

import type { AuditEntry, QueryOf, ReplyOf, routes } from '@pilothouse/contract';
import { type AuditFilter, type Caller, isBuiltIn, type Store } from '@pilothouse/store';
import { requireAdmin } from '../auth/require-admin.ts';
import type { From } from '../http/call.ts';
import { viewAuditEntry } from './admin.view.ts';
import { type AuditFormat, auditTypes, writeAudit } from './audit-file.ts';
import { createFindUser } from './find-user.ts';

type Routes = typeof routes;
type Filters = Omit<QueryOf<Routes['exportAudit']>, 'format'>;

const pageOfFile = 500;

export function createAuditService({ store }: { store: Pick<Store, 'adminReads' | 'audit' | 'users'> }) {
  const findUser = createFindUser(store);

  async function filterOf({ user, event, from, until }: Filters): Promise<AuditFilter> {
    return {
      userId: user === undefined ? undefined : (await findUser(user)).id,
      event,
      from: from === undefined ? undefined : new Date(from),
      until: until === undefined ? undefined : new Date(until),
    };
  }

  async function* pagesOf(filter: AuditFilter, signal: AbortSignal): AsyncGenerator<AuditEntry[]> {
    for (let cursor: string | undefined; ; ) {
      signal.throwIfAborted();
      const { rows, nextCursor } = await store.adminReads.audit({ ...filter, limit: pageOfFile, cursor });
      yield rows.map(viewAuditEntry);
      if (nextCursor === null) return;
      cursor = nextCursor;
    }
  }

  return {
    async list(
      caller: Caller,
      { limit, cursor, ...filters }: QueryOf<Routes['listAudit']>,
      { address }: From,
    ): Promise<ReplyOf<Routes['listAudit']>> {
      requireAdmin(caller);
      const { rows, nextCursor } = await store.adminReads.audit({ ...(await filterOf(filters)), limit, cursor });
      await auditAdminList(store, caller, address, { list: 'audit', ...filters });
      return { success: true, entries: rows.map(viewAuditEntry), next_cursor: nextCursor };
    },

    /** The name of the file, its type, and what writes it until the signal ends. Refuses before anything is written. */
    async take(caller: Caller, { format, ...filters }: QueryOf<Routes['exportAudit']>, { address }: From) {
      requireAdmin(caller);
      const filter = await filterOf(filters);
      return {
        fileName: `audit.${format}`,
        contentType: auditTypes[format satisfies AuditFormat],
        async *write(signal: AbortSignal) {
          const data = { format, ...filters };
          const entry = { event: 'audit_taken', outcome: 'success', actorId: caller.id, address, data };
          await store.audit.add(entry);
          yield* writeAudit(pagesOf(filter, signal), format, signal);
        },
      };
    },
  };
}

/** One line for a page that tells of other users. The built-in user is everyone: nothing is known of who it was. */
export async function auditAdminList(
  { audit }: Pick<Store, 'audit'>,
  caller: Caller,
  address: string,
  data: object,
): Promise<void> {
  if (isBuiltIn(caller)) return;
  await audit.add({ event: 'admin_read', outcome: 'success', actorId: caller.id, address, data });
}
