// The one login of this browser, and the client that everything on the page calls the server with.

import { createLogin } from '@pilothouse/sdk';

/** No script can read the refresh token: it is in a cookie. The access token is in memory, and all tabs share it. */
export const login = createLogin({ baseUrl: location.origin, cookie: true, sharesStreams: true });

export const { client } = login;

forgetStoredTokens();

/** Earlier releases kept both tokens in the storage. */
function forgetStoredTokens(): void {
  try {
    localStorage.removeItem(`pilothouse.login ${location.origin}`);
  } catch {
    // The browser forbids the storage to the page, so there are none.
  }
}
