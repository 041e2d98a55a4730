// login and logout. The password is sent once and stored nowhere; what is stored is an API key.

import { hostname } from 'node:os';
import { createClient, isApiError } from '@pilothouse/sdk';
import { isSafe, serverUrl, toServerUrl } from '../connection/connect.ts';
import type { StoredLogin } from '../connection/credentials.ts';
import { CommandFailure } from '../connection/failure.ts';
import { plain } from '../output/terminal.ts';
import { type Context, flag, type Run, show, text } from './context.ts';
import { readInput } from './read-input.ts';

const mostKeyChars = 1000;

export const login: Run = async (context) => {
  const { args, values, ask, credentials, terminal, config } = context;
  const given = args[0] ?? text(values, 'url');
  const known = serverUrl(undefined, config, credentials);
  const url = toServerUrl(given ?? (ask.canAsk ? (await ask.line(`Server (${known}): `)) || known : known));
  const { auth } = await createClient({ baseUrl: url }).getCapabilities();
  if (auth === 'required' && !isSafe(url))
    terminal.warn(`${url} is not encrypted: what is sent there can be read on the way.`);
  const stored: StoredLogin =
    auth === 'disabled' ? {} : flag(values, 'with-key') ? await byKey(context, url) : await byPassword(context, url);
  credentials.keep(url, stored);
  const as = stored.username ? ` as ${plain(stored.username)}` : '';
  show(context, { url, username: stored.username ?? null }, () => [
    auth === 'disabled'
      ? `${url} needs no login. It is used from now on.`
      : `Logged in to ${url}${as}. The key is in ${credentials.path}.`,
  ]);
  return 'done';
};

async function byKey({ ask, stdin }: Context, url: string): Promise<StoredLogin> {
  const key = ask.canAsk ? await ask.secret('API key: ') : (await readInput(stdin, mostKeyChars)).trim();
  if (key === '') throw new CommandFailure('there is no API key on standard input', { exit: 'usage' });
  // A key does not say whose it is: routes of logins take none.
  const { caller } = await createClient({ baseUrl: url, token: () => key }).getCapabilities();
  if (!caller) throw new CommandFailure('the server does not take this key', { exit: 'login' });
  return { api_key: key };
}

async function byPassword({ ask, values }: Context, url: string): Promise<StoredLogin> {
  const plainClient = createClient({ baseUrl: url });
  const username_or_email = text(values, 'username') ?? (await ask.line('User name: '));
  const password = await ask.secret('Password: ');
  const { access_token, refresh_token, user } = await plainClient.login({ username_or_email, password });
  const client = createClient({ baseUrl: url, token: () => access_token });
  const { key } = await client.createKey({ label: `pilothouse at ${hostname()}`.slice(0, 100) });
  // From here on the command uses the key and needs no login.
  await client.logout({ refresh_token });
  return { api_key: key.key_token, key_id: key.id, username: user.username };
}

export const logout: Run = async (context) => {
  const { values, config, credentials } = context;
  const url = serverUrl(text(values, 'url'), config, credentials);
  const stored = credentials.of(url);
  if (!stored) throw new CommandFailure(`you are not logged in to ${url}`, { exit: 'login' });
  const isRemoved = stored.key_id !== undefined && (await removeKey(context, url, stored));
  credentials.forget(url);
  show(context, { url, key_removed: isRemoved }, () => [
    `Logged out of ${url}${isRemoved ? ', and the key is removed' : ''}.`,
    ...(stored.key_id && !isRemoved ? ['The key is still valid: remove it in the console, under Settings.'] : []),
  ]);
  return 'done';
};

/** A key removes no keys, so that a stolen one cannot: that takes the password. */
async function removeKey({ ask }: Context, url: string, { key_id, username = '' }: StoredLogin): Promise<boolean> {
  if (!ask.canAsk || !key_id) return false;
  const password = await ask.secret(
    `Password of ${plain(username)}, to remove the key at the server (empty: leave it): `,
  );
  if (password === '') return false;
  const { access_token, refresh_token } = await createClient({ baseUrl: url }).login({
    username_or_email: username,
    password,
  });
  const client = createClient({ baseUrl: url, token: () => access_token });
  await client.deleteKey({ id: key_id }).catch((error: unknown) => {
    // Removed elsewhere.
    if (!isApiError(error, 'not_found')) throw error;
  });
  await client.logout({ refresh_token });
  return true;
}
