import { AppError, type BodyOf, isId, type ReplyOf, type routes } from '@pilothouse/contract';
import type { Caller, Store } from '@pilothouse/store';
import type { From } from '../http/serve.ts';
import type { Driving } from './driving.ts';

type Routes = typeof routes;

/** The wheel of a session in which no task is open: its browser is opened for the person where it is cold. */
export function createSessionTakeovers({ store, driving }: { store: Store; driving: Driving }) {
  async function require(caller: Caller, id: string): Promise<void> {
    const session = isId(id) ? await store.transaction((tx) => store.sessions.drivenBy(tx, caller, id)) : undefined;
    if (!session) throw new AppError('not_found');
  }

  return {
    async take(
      caller: Caller,
      id: string,
      { requested_by: requestedBy, reason, expires_in_secs: leaseSecs }: BodyOf<Routes['requestSessionTakeover']>,
      from: From,
    ): Promise<ReplyOf<Routes['requestSessionTakeover']>> {
      await require(caller, id);
      const check: Parameters<Driving['take']>[1]['check'] = async (tx) => {
        if ((await store.sessions.locked(tx, id))?.status === 'closed')
          throw new AppError('conflict', { detail: 'The session is closed.' });
        if ((await store.tasks.openInSession(tx, id)) > 0)
          throw new AppError('conflict', { detail: 'A task is open in this session: take over the task.' });
      };
      const wanted = { sessionId: id, taskId: null, requestedBy, reason, leaseSecs, check };
      return { success: true, takeover: await driving.take(caller, wanted, from) };
    },

    async resume(
      caller: Caller,
      id: string,
      body: BodyOf<Routes['resumeSessionTakeover']>,
      from: From,
    ): Promise<ReplyOf<Routes['resumeSessionTakeover']>> {
      await require(caller, id);
      return { success: true, takeover: await driving.giveBack(caller, { sessionId: id }, body, from) };
    },
  };
}
export type SessionTakeovers = ReturnType<typeof createSessionTakeovers>;
