// Runs a command of the operator. Every command leaves a line in the audit, also if it is refused.

import { AppError } from '@pilothouse/contract';
import { localUser, type Store, type UserRow } from '@pilothouse/store';
import { pathOf } from '../auth/invites.service.ts';
import type { Passwords } from '../auth/passwords.ts';
import { hashOf, newToken } from '../auth/tokens.ts';
import { type BlobPlaces, createBlobCommands } from './blob-commands.ts';
import { auditData, auditEventOf, type Command, plural, Refusal, type UserCommand } from './command.ts';
import { createHostCommands } from './host-commands.ts';
import { createUserCommands } from './user-commands.ts';

const resealMs = 3_600_000;
const inviteSecs = 7 * 86_400;

type Options = {
  store: Store;
  passwords: Passwords;
  minPasswordLength: number;
  readPassword: () => Promise<string>;
  places: BlobPlaces;
};

export function createAdmin({ store, passwords, minPasswordLength, readPassword, places }: Options) {
  const userCommands = createUserCommands({ store, passwords, minPasswordLength, readPassword });
  const hostCommands = createHostCommands(store);
  const blobCommands = createBlobCommands(store, places);

  async function listUsers(): Promise<string> {
    const users = await store.users.list();
    const lines = users.map((user) =>
      [user.id, user.username, user.email, user.role, ...(user.disabled_at ? ['disabled'] : [])].join('  '),
    );
    return [plural(users.length, 'user'), ...lines].join('\n');
  }

  /** A key that is not used any more can be taken from PROFILE_KEY. */
  async function reseal(): Promise<string> {
    if (!store.secrets.isOn) throw new Refusal('There is no key to seal with: set PROFILE_KEY, the new key first.');
    const tables = await store.reseal(AbortSignal.timeout(resealMs));
    const data = { ...auditData, rows: tables.reduce((sum, { done }) => sum + done, 0) };
    await store.audit.add({ event: auditEventOf('reseal'), outcome: 'success', data });
    const lines = tables.map(({ table, done, left, unopened }) =>
      [
        `${table}: ${plural(done, 'row')} sealed with the first key`,
        ...(left > 0 ? [`${left} locked, run it again`] : []),
        ...(unopened > 0 ? [`${unopened} of keys that are not in PROFILE_KEY`] : []),
      ].join(', '),
    );
    const isWhole = tables.every(({ left, unopened }) => left + unopened === 0);
    return [...lines, isWhole ? 'The older keys can be dropped.' : 'Keep the older keys.'].join('\n');
  }

  async function invite(role: 'user' | 'admin'): Promise<string> {
    const token = newToken('invite');
    const row = await store.invites.add({ tokenHash: hashOf(token), role, createdBy: null, expiresInSecs: inviteSecs });
    const data = { ...auditData, invite_id: row.id, role };
    await store.audit.add({ event: auditEventOf('invite'), outcome: 'success', data });
    const who = role === 'admin' ? 'an administrator' : 'one person';
    return `Open this path of the console, to register as ${who}, once, until ${row.expires_at.toISOString()}:\n${pathOf(token)}`;
  }

  async function act(name: UserCommand, user: UserRow): Promise<string> {
    if (user.id === localUser.id) throw new Refusal('The built-in user cannot be changed: nobody can log in as it.');
    return store.transaction(async (tx) => {
      const done = await userCommands[name](user, tx);
      await store.audit.add({ event: auditEventOf(name), outcome: 'success', userId: user.id, data: auditData }, tx);
      return done;
    });
  }

  async function run(command: Command): Promise<string> {
    if (command.name === 'list' || command.name === 'hosts') {
      await store.audit.add({ event: auditEventOf(command.name), outcome: 'success', data: auditData });
      return command.name === 'list' ? listUsers() : hostCommands.list();
    }
    if (command.name === 'reseal') return reseal();
    if (command.name === 'invite') return invite(command.role);
    if (command.name === 'copy-blobs') return blobCommands.copy(command.from, command.to);
    if (command.name === 'remove-host') return hostCommands.remove(command.host);
    if (command.name === 'host') return hostCommands.setLimit(command.host, command.maxSessions);
    const audit = { event: auditEventOf(command.name), data: auditData };
    const user = await store.users.byNameOrEmail(command.user);
    if (!user) {
      await store.audit.add({ ...audit, outcome: 'not_found' });
      throw new Refusal(`There is no user ${command.user}.`);
    }
    return act(command.name, user).catch(async (error: unknown) => {
      if (!(error instanceof Refusal || error instanceof AppError)) throw error;
      await store.audit.add({ ...audit, outcome: 'refused', userId: user.id });
      throw new Refusal(error.message, { cause: error });
    });
  }

  // The output holds text of clients, and a terminal obeys control characters.
  return { run: async (command: Command) => (await run(command)).replace(/[^\P{Cc}\n]/gu, '?') };
}
