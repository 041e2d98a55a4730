// Registered users of a test server, each with a login of their own.

import { createClient } from '@pilothouse/sdk';
import { type Caller, newId } from '@pilothouse/store';
import type { TestServer } from './server.ts';

const password = 'a long password of a test';

export async function registerUser({ client: anyone, baseUrl }: Pick<TestServer, 'client' | 'baseUrl'>) {
  const username = `u-${newId()}`;
  await anyone.register({ username, email: `${username}@example.test`, password });
  const logIn = () => anyone.login({ username_or_email: username, password });
  const { access_token: token, user } = await logIn();
  const caller: Caller = { id: user.id, role: 'user' };
  const client = createClient({ baseUrl, token: () => token });
  return { id: user.id, username, token, caller, client, headers: { authorization: `Bearer ${token}` }, logIn };
}
