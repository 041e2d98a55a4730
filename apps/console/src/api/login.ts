// The one login of this browser, and the client that everything on the page calls the server with.

import { createLogin } from '@pilothouse/sdk';

export const login = createLogin({ baseUrl: location.origin, storage: findStorage(), sharesStreams: true });

export const { client } = login;

function findStorage(): Storage | undefined {
  try {
    return localStorage;
  } catch {
    // The browser forbids it to the page: the login lasts until the page is left.
    return undefined;
  }
}
