// npm run admin -- <command> [user]: administrative commands, which need the database URL and are not exposed over HTTP.

import {
  addressOf,
  blobSettings,
  keys,
  placeNamed,
  readSettings,
  SettingsError,
  wholeNumber,
} from '@pilothouse/process';
import { openBlobs, openStore } from '@pilothouse/store';
import { z } from 'zod';
import { createAdmin } from './admin/admin.ts';
import { parseCommand, Refusal, usage } from './admin/command.ts';
import { readSecret } from './admin/read-secret.ts';
import { createPasswords } from './auth/passwords.ts';

const settings = z.object({
  DATABASE_URL: addressOf('postgresql:', 'postgres:'),
  PASSWORD_MIN_LENGTH: wholeNumber(8, 64).default(8),
  PROFILE_KEY: keys.default([]),
  ...blobSettings,
});

process.exitCode = await main(process.argv.slice(2));

async function main(args: string[]): Promise<number> {
  const command = parseCommand(args);
  if (!command) return say(usage, 2);
  try {
    const given = readSettings(settings, process.env);
    const { DATABASE_URL: url, PASSWORD_MIN_LENGTH: minPasswordLength, PROFILE_KEY: profileKeys } = given;
    // A command that needs blobs is told where they are.
    const store = openStore({ url, blobDir: '/nonexistent', poolSize: 2, profileKeys, onError: () => {} });
    const readPassword = () => readSecret(process.stdin, process.stderr, 'New password: ');
    const stopping = new AbortController();
    // Other commands end at once.
    if (command.name === 'copy-blobs')
      for (const name of ['SIGINT', 'SIGTERM']) process.once(name, () => stopping.abort());
    const places = {
      open: async (place: string) => openBlobs(placeNamed(place, given)),
      tell: console.error,
      signal: stopping.signal,
    };
    const admin = createAdmin({ store, passwords: createPasswords(), minPasswordLength, readPassword, places });
    try {
      console.log(await admin.run(command));
      return 0;
    } finally {
      await store.close();
    }
  } catch (error) {
    if (error instanceof SettingsError) return say(error.message, 2);
    if (error instanceof Refusal) return say(error.message, 1);
    return say(`failed: ${error instanceof Error ? error.message || error.name : error}`, 1);
  }
}

function say(message: string, exitCode: number): number {
  console.error(message);
  return exitCode;
}
