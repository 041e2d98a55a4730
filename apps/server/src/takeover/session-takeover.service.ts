// Takeovers of a session without an open task. A cold browser is opened for the person.

import { AppError, type BodyOf, isId, type ReplyOf, type routes } from '@pilothouse/contract';
import type { Caller, Store, Tx } from '@pilothouse/store';
import type { From } from '../http/call.ts';
import type { Takeovers } from './takeover.ts';

type Routes = typeof routes;
type Options = { store: Store; takeovers: Takeovers };

export function createSessionTakeovers({ store, takeovers }: Options) {
  async function require(caller: Caller, id: string): Promise<void> {
    const session = isId(id) ? await store.transaction((tx) => store.sessions.drivenBy(tx, caller, id)) : undefined;
    if (!session) throw new AppError('not_found');
  }

  async function check(tx: Tx, id: string): Promise<void> {
    if ((await store.sessions.locked(tx, id))?.status === 'closed')
      throw new AppError('conflict', { detail: 'The session is closed.' });
    if ((await store.tasks.openInSession(tx, id)) > 0)
      throw new AppError('conflict', { detail: 'A task is open in this session: take over the task.' });
  }

  return {
    async request(
      caller: Caller,
      id: string,
      body: BodyOf<Routes['requestSessionTakeover']>,
      from: From,
    ): Promise<ReplyOf<Routes['requestSessionTakeover']>> {
      await require(caller, id);
      const { requested_by: requestedBy, reason, expires_in_secs: leaseSecs, client_id: clientId } = body;
      const about = { sessionId: id, taskId: null, requestedBy, reason, leaseSecs, clientId };
      const request = { ...about, check: (tx: Tx) => check(tx, id) };
      return { success: true, takeover: await takeovers.request(caller, request, from) };
    },

    async resume(
      caller: Caller,
      id: string,
      body: BodyOf<Routes['resumeSessionTakeover']>,
      from: From,
    ): Promise<ReplyOf<Routes['resumeSessionTakeover']>> {
      await require(caller, id);
      return { success: true, takeover: await takeovers.giveBack(caller, { sessionId: id }, body, from) };
    },

    async setClient(
      caller: Caller,
      id: string,
      body: BodyOf<Routes['setTakeoverClient']>,
    ): Promise<ReplyOf<Routes['setTakeoverClient']>> {
      await require(caller, id);
      return { success: true, takeover: await takeovers.setClient(caller, id, body) };
    },

    async renew(
      caller: Caller,
      id: string,
      body: BodyOf<Routes['renewTakeover']>,
    ): Promise<ReplyOf<Routes['renewTakeover']>> {
      await require(caller, id);
      return { success: true, takeover: await takeovers.renew(caller, id, body) };
    },
  };
}
export type SessionTakeovers = ReturnType<typeof createSessionTakeovers>;
