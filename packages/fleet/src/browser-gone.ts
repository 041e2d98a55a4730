// A session loses its browser: it is taken from its host, the session is set to cold, and its followers are told.

import { type Append, type Store, sessionStateOf, type Tx } from '@pilothouse/store';
import type { BrowserHold } from './browser-hold.ts';

/** Sets the session to cold and appends the event. Does nothing if the session is cold already. */
export async function setCold(store: Store, tx: Tx, append: Append, sessionId: string): Promise<void> {
  const session = await store.sessions.setBrowser(tx, sessionId, 'cold');
  if (session) await append({ kind: 'status', data: { session: sessionStateOf(session) } });
}

/** Does nothing, and returns false, unless this host holds the browser under this epoch. */
export async function releaseBrowser(
  store: Store,
  tx: Tx,
  append: Append,
  hold: BrowserHold,
  options: { unlessRunning?: boolean } = {},
): Promise<boolean> {
  const { sessionId } = hold;
  if (!(await store.browsers.release(tx, sessionId, hold, options))) return false;
  await setCold(store, tx, append, sessionId);
  return true;
}

/**
 * Releases the browser of a host that does not answer, and logs why. An agent finds it out with its next command or at
 * the end of the lease; until then a viewer would look at a dead picture. The browser of a running task stays: the agent
 * may reach the host well, and finds out within a second if not.
 */
export async function markBrowserGone(store: Store, hold: BrowserHold): Promise<void> {
  await store.change(hold.sessionId, async (tx, append) => {
    if (!(await releaseBrowser(store, tx, append, hold, { unlessRunning: true }))) return;
    const message = 'The browser is gone: its host does not answer.';
    await append({ kind: 'log', data: { log: { level: 'warn', message, step_id: null, data: null } } });
  });
}
