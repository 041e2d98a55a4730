// Ends the login because the person wants it, and leaves the page. Everything that was read is forgotten.

import { login } from '../api/login.ts';

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
  location.assign('/login');
}
