// The settings of the command, which come from the environment. Nothing else reads it.

import type { Config } from './connection/config.ts';

/** What each setting is, as help shows it. */
export const settings = {
  PILOTHOUSE_URL: 'Where the server is. Beats what `login` stored; `--url` beats it.',
  PILOTHOUSE_API_KEY: 'An API key or access token for that server. Beats what `login` stored.',
};

/** An empty value counts as not set. */
export function readConfig(env: Record<string, string | undefined>, homeDir: string): Config {
  const read = (name: string) => env[name] || undefined;
  return {
    url: read('PILOTHOUSE_URL' satisfies keyof typeof settings),
    apiKey: read('PILOTHOUSE_API_KEY' satisfies keyof typeof settings),
    configDir: `${read('XDG_CONFIG_HOME') ?? `${homeDir}/.config`}/pilothouse`,
    dataDir: `${read('XDG_DATA_HOME') ?? `${homeDir}/.local/share`}/pilothouse`,
    homeDir,
    browser: read('BROWSER'),
    hasColor: read('NO_COLOR') ? false : read('FORCE_COLOR') ? true : undefined,
  };
}
