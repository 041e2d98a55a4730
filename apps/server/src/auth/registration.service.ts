// Creates accounts. Anybody may call it, so it never hashes a password for a name that it knows is taken, or without the invitation that
// it needs.

import { AppError, type RegisterRequest, type Registration, type ReplyOf, type routes } from '@pilothouse/contract';
import type { Store, UserRow } from '@pilothouse/store';
import type { From } from '../http/call.ts';
import { viewUser } from './auth.view.ts';
import { createKeyedLock } from './keyed-lock.ts';
import { requireGoodPassword } from './password-rules.ts';
import type { Passwords } from './passwords.ts';
import { hashOf, kindOf } from './tokens.ts';

type Options = { store: Store; passwords: Passwords; minPasswordLength: number; registration: Registration };
type Reply = ReplyOf<(typeof routes)['register']>;

const refusals = {
  invite: 'You need an invitation to register here. Ask an administrator of this installation for one.',
  closed: 'Registration is closed here. An operator of this installation can let you in.',
  invalid: 'This invitation does not count, or no more: it was used, withdrawn or has lapsed. Ask for another one.',
};

export function createRegistrationService({ store, passwords, minPasswordLength, registration }: Options) {
  const lock = createKeyedLock();
  const isClosed = registration === 'closed';

  /** The hash of the invitation; undefined where none is given, and none is needed. */
  async function requireInvite(token: string | undefined): Promise<Buffer | undefined> {
    if (token === undefined && registration === 'open') return undefined;
    if (token === undefined) throw new AppError('forbidden', { detail: refusals[registration as 'invite' | 'closed'] });
    const hash = kindOf(token) === 'invite' ? hashOf(token) : undefined;
    if (!hash || !(await store.invites.counts(hash, isClosed)))
      throw new AppError('forbidden', { detail: refusals.invalid });
    return hash;
  }

  /** Undefined where the name or the address is taken: the invitation is then not used up. */
  const create = (user: { username: string; email: string; passwordHash: string }, invite: Buffer | undefined) =>
    store
      .transaction(async (tx) => {
        const used = invite && (await store.invites.use(tx, invite, isClosed));
        if (invite && !used) throw new AppError('forbidden', { detail: refusals.invalid });
        const created = await store.users.create(tx, { ...user, role: used?.role });
        if (!created) throw new AppError('user_exists');
        if (used) await store.invites.usedBy(tx, used.id, created.id);
        return { user: created, inviteId: used?.id };
      })
      .catch((error: unknown) => {
        if (error instanceof AppError && error.code === 'user_exists') return undefined;
        throw error;
      });

  async function audited(
    from: From,
    work: () => Promise<{ user: UserRow; inviteId: string | undefined } | undefined>,
  ): Promise<UserRow> {
    const entry = { event: 'register', address: from.address };
    const made = await work().catch(async (error: unknown) => {
      // Guessed invitations are to be seen by the operator.
      if (error instanceof AppError && error.code === 'forbidden')
        await store.audit.add({ ...entry, outcome: 'forbidden' });
      throw error;
    });
    const data = { ...(made?.inviteId && { invite_id: made.inviteId }) };
    await store.audit.add({ ...entry, outcome: made ? 'success' : 'user_exists', userId: made?.user.id, data });
    if (!made) throw new AppError('user_exists');
    return made.user;
  }

  return {
    async register({ username, email, password, invite }: RegisterRequest, from: From): Promise<Reply> {
      const user = await audited(from, async () => {
        const inviteHash = await requireInvite(invite);
        requireGoodPassword({ password, username, email, minLength: minPasswordLength, pointer: '/body/password' });
        // One at a time for each name: of several requests for the same name, one pays for the hash and the others learn
        // that the name is taken.
        return lock.run(username.toLowerCase(), async () => {
          if (await store.users.isTaken(username, email)) return undefined;
          const passwordHash = await passwords.hash(password);
          return create({ username, email, passwordHash }, inviteHash);
        });
      });
      return { success: true, user: viewUser(user) };
    },
  };
}
export type RegistrationService = ReturnType<typeof createRegistrationService>;
