// Tasks that wait for a person: the list of them, and the stream that tells when it has changed.

import { InboxVersion, type QueryOf, type ReplyOf, type routes } from '@pilothouse/contract';
import { type Caller, inboxKeyOf, type Store } from '@pilothouse/store';
import { auditTaskList } from '../auth/admin-reads.ts';
import type { InboxHub } from '../live/inbox-hub.ts';
import type { EventStream } from '../sse/event-stream.ts';
import { viewInboxItem } from './tasks.view.ts';

type Routes = typeof routes;
type Options = { store: Store; inboxes: InboxHub };

export function createInboxService({ store, inboxes }: Options) {
  return {
    async list(caller: Caller, query: QueryOf<Routes['listInbox']>): Promise<ReplyOf<Routes['listInbox']>> {
      // The version before the list: a change between the two is told by the stream, and the list is read once more.
      const key = inboxKeyOf(caller);
      const version = (await store.tasks.inboxStates([key])).get(key)?.version;
      const { rows, nextCursor } = await store.tasks.inboxOf(caller, query);
      await auditTaskList(store, caller, rows, 'inbox');
      return { success: true, items: rows.map(viewInboxItem), next_cursor: nextCursor, version };
    },

    /**
     * The present state, unless the cursor is of that state, and each later one. To an admin it tells a number and nothing
     * of the tasks of other users; the list that an admin then reads is audited.
     */
    async follow(caller: Caller, cursor: string | undefined) {
      const isKnown = InboxVersion.safeParse(cursor).success;
      const who = { id: caller.id, role: caller.role };
      return async (stream: EventStream): Promise<void> => {
        const fault = cursor !== undefined && !isKnown;
        if (fault) stream.send({ type: 'reset', data: { type: 'reset', reason: 'cursor_unknown' } });
        const onState = ({ count, version }: { count: number; version: string }) =>
          stream.send({ id: version, type: 'inbox', data: { type: 'inbox', count, version } });
        inboxes.watch(who, isKnown ? cursor : undefined, onState, stream);
      };
    },
  };
}
export type InboxService = ReturnType<typeof createInboxService>;
