// Which server a command talks to, and as whom.

import { type Client, createClient } from '@pilothouse/sdk';
import type { Config } from './config.ts';
import type { Credentials } from './credentials.ts';
import { CommandFailure } from './failure.ts';

export type Connection = { url: string; client: Client; token: string | undefined };

/** The server of `npm run demo`, and of every installation on this machine that names no other port. */
const localUrl = 'http://127.0.0.1:4000';

/**
 * Without a slash at the end, so that one server has one name. Without a scheme it is https, because a password is sent there;
 * on this machine nobody is on the way, and no certificate is there.
 */
export function toServerUrl(given: string): string {
  const hasScheme = /^[a-z]+:\/\//i.test(given);
  const plainUrl = URL.parse(hasScheme ? given : `http://${given}`);
  const url = hasScheme || !plainUrl || isSafe(plainUrl.href) ? plainUrl : URL.parse(`https://${given}`);
  if (!url || !/^https?:$/.test(url.protocol))
    throw new CommandFailure(`${given} is not an address of a server`, { exit: 'usage' });
  return url.origin;
}

export const serverUrl = (given: string | undefined, config: Config, credentials: Credentials): string =>
  toServerUrl(given ?? config.url ?? credentials.current() ?? localUrl);

export function connect(given: string | undefined, config: Config, credentials: Credentials): Connection {
  const url = serverUrl(given, config, credentials);
  const token = config.apiKey ?? credentials.of(url)?.api_key;
  return { url, token, client: createClient({ baseUrl: url, token: () => token }) };
}

/** Whether nobody on the way can read what is sent there. */
export function isSafe(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}
