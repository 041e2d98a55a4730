// The operator's commands for one user. Each returns what it did, in words.

import { NewPassword } from '@pilothouse/contract';
import type { Store, Tx, UserRow } from '@pilothouse/store';
import { identifierKey } from '../auth/auth.limits.ts';
import { requireGoodPassword } from '../auth/password-rules.ts';
import type { Passwords } from '../auth/passwords.ts';
import { plural, Refusal, type UserCommand } from './command.ts';

type Options = {
  store: Store;
  passwords: Passwords;
  minPasswordLength: number;
  readPassword: () => Promise<string>;
};
type Act = (user: UserRow, tx: Tx) => Promise<string>;

const loginsShown = 200;

export function createUserCommands(options: Options): Record<UserCommand, Act> {
  const { store, passwords, minPasswordLength, readPassword } = options;

  function requireAllowed(password: string, { username, email }: { username: string; email: string }): void {
    const { error } = NewPassword.safeParse(password);
    if (error) throw new Refusal(`The password ${error.issues[0]?.message ?? 'is not valid'}.`);
    requireGoodPassword({ password, username, email, minLength: minPasswordLength, pointer: '' });
  }

  return {
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
      // First, so that the user cannot log in again in between.
      await store.users.setDisabled(id, true);
      return `${username} is disabled, ${ended(await store.logins.endAll(tx, id, 'disabled'))}`;
    },
    async enable({ id, username }) {
      await store.users.setDisabled(id, false);
      return `${username} is enabled`;
    },
    async unlock({ id, username, email }) {
      // By the keys under which attempts are counted: the typed name, and the id of a user who changes the password.
      const identifiers = [username, email, `change ${id}`];
      const count = await store.limits.forgetWhere('login', (key) => {
        const address = key.slice(0, key.indexOf(' '));
        return identifiers.some((identifier) => key === identifierKey(address, identifier));
      });
      return `${username} is unlocked, ${plural(count, 'counter')} forgotten`;
    },
    async 'set-password'({ id, username, email }, tx) {
      const password = await readPassword();
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
}

const ended = (logins: unknown[]) => `${plural(logins.length, 'login')} ended`;
