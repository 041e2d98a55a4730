// npm run admin -- <command> [user]: what nobody may do over HTTP, done by whoever holds the database.
import { addressOf, readSettings, SettingsError, wholeNumber } from '@pilothouse/process';
import { openStore } from '@pilothouse/store';
import { z } from 'zod';
import { createAdmin, parseCommand, Refusal, usage } from './admin/admin.ts';
import { readSecret } from './admin/read-secret.ts';
import { createPasswords } from './auth/passwords.ts';

const settings = z.object({
  DATABASE_URL: addressOf('postgresql:', 'postgres:'),
  PASSWORD_MIN_LENGTH: wholeNumber(8, 64).default(8),
});

process.exitCode = await main(process.argv.slice(2));

async function main(args: string[]): Promise<number> {
  const command = parseCommand(args);
  if (!command) return say(usage, 2);
  try {
    const { DATABASE_URL: url, PASSWORD_MIN_LENGTH: minPasswordLength } = readSettings(settings, process.env);
    // No command touches a picture.
    const store = openStore({ url, blobDir: '/nonexistent', poolSize: 2, onError: () => {} });
    const newPassword = () => readSecret(process.stdin, process.stderr, 'New password: ');
    const admin = createAdmin({ store, passwords: createPasswords(), minPasswordLength, newPassword });
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
