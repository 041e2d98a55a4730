import { type Store, sessionStateOf } from '@pilothouse/store';

/**
 * Says that a browser is gone whose host nobody hears, to whoever follows the session: agents find it out with their next
 * command or at the end of the lease, and a viewer should not look at a dead picture until then. Only while that host has
 * it under that epoch; whoever needs the browser opens it anew.
 */
export const createSayGone =
  (store: Store) =>
  async (sessionId: string, held: { hostId: string; epoch: number }): Promise<void> => {
    await store.change(sessionId, async (tx, append) => {
      if (!(await store.browsers.release(tx, sessionId, held))) return;
      const session = await store.sessions.setBrowser(tx, sessionId, 'cold');
      if (session) await append({ kind: 'status', data: { session: sessionStateOf(session) } });
      const message = 'The browser is gone: its host does not answer.';
      await append({ kind: 'log', data: { log: { level: 'warn', message, step_id: null, data: null } } });
    });
  };
