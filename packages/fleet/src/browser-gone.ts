// A session loses its browser: it is taken from its host, the session is set to cold, and its followers are told.

import { type Append, type Store, sessionStateOf, type Tx } from '@pilothouse/store';
import type { BrowserHold } from './browser-hold.ts';

/** Sets the session to cold and appends the event. Does nothing if the session is cold already. */
export async function setCold(store: Store, tx: Tx, append: Append, sessionId: string): Promise<void> {
  const session = await store.sessions.setBrowser(tx, sessionId, 'cold');
  if (session) await append({ kind: 'status', data: { session: sessionStateOf(session) } });
}

/** Does nothing, and returns false, unless this host holds the browser under this epoch. */
export async function releaseBrowser(store: Store, tx: Tx, append: Append, hold: BrowserHold): Promise<boolean> {
  const { sessionId } = hold;
  if (!(await store.browsers.release(tx, sessionId, hold))) return false;
  await setCold(store, tx, append, sessionId);
  return true;
}

/**
 * Gives up the browser of a host that does not answer, and logs why; false if it is not given up. Only agents decide it: a
 * server that does not reach the host says so to them. Never while a task runs, whose agent may reach the host well.
 */
export function markBrowserGone(store: Store, hold: BrowserHold): Promise<boolean> {
  const { sessionId } = hold;
  return store.change(sessionId, async (tx, append) => {
    if (!(await store.browsers.giveUp(tx, sessionId, hold))) return false;
    await setCold(store, tx, append, sessionId);
    const message = 'The browser is gone: its host does not answer.';
    await append({ kind: 'log', data: { log: { level: 'warn', message, step_id: null, data: null } } });
    return true;
  });
}
