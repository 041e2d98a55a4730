// Ends the login because the person wants it, and leaves the page, in every tab. Everything that was read is forgotten.

import { login } from '../api/login.ts';

/** Tells the other tabs that the person has left: they do not ask for a login over what they show. */
const tabs = new BroadcastChannel('pilothouse.console left');
tabs.onmessage = leave;

let leaving = false;

/** Whether the login ends by the person's own wish. */
export const isLeaving = (): boolean => leaving;

/**
 * `end` ends the login. If it fails and the login stays, so does the page, and the failure is thrown. Otherwise the page
 * is loaded again, so that nothing of the person stays in memory.
 */
export async function logOut(end: () => Promise<unknown> = login.logout): Promise<void> {
  leaving = true;
  try {
    await end();
  } catch (error) {
    if (login.isLoggedIn()) {
      leaving = false;
      throw error;
    }
  }
  tabs.postMessage('left');
  leave();
}

function leave(): void {
  leaving = true;
  location.assign('/login');
}
