import { AppError, NewPassword } from '@pilothouse/contract';
import { localUser, type Store, type Tx, type UserRow } from '@pilothouse/store';
import { identifierKey } from '../auth/auth.limits.ts';
import { requireGoodPassword } from '../auth/password-rules.ts';
import type { Passwords } from '../auth/passwords.ts';

/** The command was understood and is not done. */
export class Refusal extends Error {}

const ofUser = ['promote', 'demote', 'disable', 'enable', 'unlock', 'set-password', 'logins'] as const;
type NameOfUser = (typeof ofUser)[number];
export type Command = { name: NameOfUser; user: string } | { name: 'list' };

export const usage = `usage: admin ${ofUser.join('|')} <name or e-mail>
       admin list
The new password of set-password is read from the input, never from the command line.`;

/** Nothing, where it is no command of ours. */
export function parseCommand([name, user, ...rest]: string[]): Command | undefined {
  if (name === 'list') return user === undefined ? { name } : undefined;
  const known = ofUser.find((one) => one === name);
  return known && user && rest.length === 0 ? { name: known, user } : undefined;
}

type Parts = {
  store: Store;
  passwords: Passwords;
  minPasswordLength: number;
  newPassword: () => Promise<string>;
};
const by = { by: 'command' };
const loginsShown = 200;

/** Each command answers what it did, in words, and leaves a line in the audit, also where it was refused. */
export function createAdmin({ store, passwords, minPasswordLength, newPassword }: Parts) {
  type Act = (user: UserRow, tx: Tx) => Promise<string>;
  const acts: Record<NameOfUser, Act> = {
    async promote({ id, username }) {
      await store.users.setRole(id, 'admin');
      return `${username} is an admin`;
    },
    async demote({ id, username }, tx) {
      await store.users.setRole(id, 'user');
      // Also ends the streams that only an admin may watch.
      return `${username} is a user like any other, ${ended(await store.logins.endAll(tx, id, 'demoted'))}`;
    },
    async disable({ id, username }, tx) {
      // First of all, so that nobody logs in behind our back.
      await store.users.setDisabled(id, true);
      return `${username} is disabled, ${ended(await store.logins.endAll(tx, id, 'disabled'))}`;
    },
    async enable({ id, username }) {
      await store.users.setDisabled(id, false);
      return `${username} is enabled`;
    },
    async unlock({ id, username, email }) {
      // As they are counted: by what was typed as the name, and for the password of whoever is logged in.
      const identifiers = [username, email, `change ${id}`];
      const count = await store.limits.forgetWhere('login', (key) => {
        const address = key.slice(0, key.indexOf(' '));
        return identifiers.some((identifier) => key === identifierKey(address, identifier));
      });
      return `${username} is unlocked, ${plural(count, 'counter')} forgotten`;
    },
    async 'set-password'({ id, username, email }, tx) {
      const password = await newPassword();
      requireAllowed(password, { username, email });
      await store.users.setPassword(tx, id, await passwords.hash(password));
      return `${username} has a new password, ${ended(await store.logins.endAll(tx, id, 'set_password'))}`;
    },
    async logins({ id, username }) {
      const { rows, nextCursor } = await store.logins.list(id, { limit: loginsShown });
      const lines = rows.map((row) =>
        [row.id, row.created_at.toISOString(), row.last_used_at.toISOString(), row.address, row.user_agent].join('  '),
      );
      return [`${username} has ${nextCursor ? 'more than ' : ''}${plural(rows.length, 'login')}`, ...lines].join('\n');
    },
  };

  async function list(): Promise<string> {
    const users = await store.users.list();
    const lines = users.map((user) =>
      [user.id, user.username, user.email, user.role, ...(user.disabled_at ? ['disabled'] : [])].join('  '),
    );
    return [plural(users.length, 'user'), ...lines].join('\n');
  }

  function requireAllowed(password: string, { username, email }: { username: string; email: string }): void {
    const { error } = NewPassword.safeParse(password);
    if (error) throw new Refusal(`The password ${error.issues[0]?.message ?? 'is not valid'}.`);
    requireGoodPassword({ password, username, email, minLength: minPasswordLength, pointer: '' });
  }

  async function act(name: NameOfUser, user: UserRow): Promise<string> {
    if (user.id === localUser.id) throw new Refusal('The built-in user cannot be changed: nobody can log in as it.');
    return store.transaction(async (tx) => {
      const said = await acts[name](user, tx);
      await store.audit.add({ event: eventOf(name), outcome: 'success', userId: user.id, data: by }, tx);
      return said;
    });
  }

  async function run(command: Command): Promise<string> {
    if (command.name === 'list') {
      await store.audit.add({ event: eventOf('list'), outcome: 'success', data: by });
      return list();
    }
    const audit = { event: eventOf(command.name), data: by };
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

  // What clients sent about themselves is printed here, and a terminal obeys what it is shown.
  return { run: async (command: Command) => (await run(command)).replace(/[^\P{Cc}\n]/gu, '?') };
}

/** Told apart from what people do themselves. */
const eventOf = (name: Command['name']) => `admin_${name.replace('-', '_')}`;
const ended = (logins: unknown[]) => `${plural(logins.length, 'login')} ended`;
const plural = (count: number, word: string) => `${count} ${word}${count === 1 ? '' : 's'}`;
