import {
  AppError,
  isId,
  type LoginRequest,
  type RegisterRequest,
  type ReplyOf,
  type routes,
  type TokenReply,
  type User,
} from '@pilothouse/contract';
import { type Caller, localUser, type Store, type UserRow } from '@pilothouse/store';
import type { From } from '../http/serve.ts';
import { type AuthLimits, identifierKey } from './auth.limits.ts';
import { viewKey, viewLogin, viewUser } from './auth.view.ts';
import { requireGoodPassword } from './password-rules.ts';
import type { Passwords } from './passwords.ts';
import { hashOf, kindOf, newToken, seal, unseal } from './tokens.ts';
import { createTurns } from './turns.ts';
import { createWithPassword } from './with-password.ts';

type Routes = typeof routes;
type Page = { limit: number; cursor?: string };
type Parts = {
  store: Store;
  passwords: Passwords;
  limits: AuthLimits;
  minPasswordLength: number;
  accessSecs: number;
  /** Told when logins have ended, so that open streams hear of it at once. */
  onRevoked: (userId: string, loginId: string | null) => void;
};

export function createAuthService({ store, passwords, limits, minPasswordLength, accessSecs, onRevoked }: Parts) {
  const tokenReply = (user: User, tokens: { access_token: string; refresh_token: string }): TokenReply => ({
    ...tokens,
    token_type: 'Bearer',
    expires_in: accessSecs,
    user,
  });
  const registering = createTurns();
  const withPassword = createWithPassword({ store, passwords });
  const newTokens = () => ({ access_token: newToken('access'), refresh_token: newToken('refresh') });
  const hashesOf = (tokens: ReturnType<typeof newTokens>) => ({
    access: hashOf(tokens.access_token),
    refresh: hashOf(tokens.refresh_token),
  });

  return {
    async register({ username, email, password }: RegisterRequest, from: From): Promise<ReplyOf<Routes['register']>> {
      requireGoodPassword({ password, username, email, minLength: minPasswordLength, pointer: '/body/password' });
      // One at a time for a name: of many who want the same, one pays for the hash and the others learn that it is gone.
      const user = await registering.inTurn(username.toLowerCase(), async () => {
        if (await store.users.isTaken(username, email)) return undefined;
        const passwordHash = await passwords.hash(password);
        return store.transaction((tx) => store.users.create(tx, { username, email, passwordHash }));
      });
      await store.audit.add({
        event: 'register',
        outcome: user ? 'success' : 'user_exists',
        userId: user?.id,
        address: from.address,
      });
      if (!user) throw new AppError('user_exists');
      return { success: true, user: viewUser(user) };
    },

    async login({ username_or_email, password }: LoginRequest, from: From): Promise<TokenReply> {
      await limits.loginOfIdentifier.spend(identifierKey(from.address, username_or_email));
      return withPassword(
        { event: 'login', address: from.address },
        () => store.users.byNameOrEmail(username_or_email),
        password,
        async (user, verifiedHash, audit) => {
          const better = passwords.isOutdated(verifiedHash) ? await passwords.hash(password) : undefined;
          const tokens = newTokens();
          return store.transaction(async (tx) => {
            // Whoever changes it from here on finds this login, and ends it.
            const isHeld = better
              ? await store.users.replacePassword(tx, user.id, verifiedHash, better)
              : await store.users.holdPassword(tx, user.id, verifiedHash);
            if (!isHeld) return undefined;
            const loginId = await store.logins.begin(
              tx,
              { userId: user.id, address: from.address, userAgent: from.userAgent },
              hashesOf(tokens),
            );
            await store.audit.add({ ...audit, outcome: 'success', data: { login_id: loginId } }, tx);
            return tokenReply(viewUser(user), tokens);
          });
        },
      );
    },

    async refresh(presented: string, from: From): Promise<TokenReply> {
      if (kindOf(presented) !== 'refresh') throw new AppError('token_invalid');
      const hash = hashOf(presented);
      const family = await store.logins.familyOf(hash);
      if (!family) throw new AppError('token_invalid');
      await limits.refreshOfFamily.spend(family);
      const tokens = newTokens();
      const rotation = await store.transaction(async (tx) => {
        const done = await store.logins.rotate(tx, hash, hashesOf(tokens), () =>
          seal(presented, JSON.stringify(tokens)),
        );
        if (done.type === 'reused') {
          await store.audit.add(
            {
              event: 'refresh',
              outcome: 'reuse',
              userId: done.userId,
              address: from.address,
              data: { login_id: done.loginId },
            },
            tx,
          );
        }
        return done;
      });
      if (rotation.type === 'reused') onRevoked(rotation.userId, rotation.loginId);
      if (rotation.type === 'expired') throw new AppError('token_expired');
      if (rotation.type !== 'rotated' && rotation.type !== 'retried') throw new AppError('token_invalid');
      const user = await store.logins.userOf(rotation.loginId);
      if (!user) throw new AppError('token_invalid');
      const given =
        rotation.type === 'retried' ? (JSON.parse(unseal(presented, rotation.sealedReply)) as typeof tokens) : tokens;
      return tokenReply(viewUser(user), given);
    },

    /** Ends this login; where its bearer no longer speaks for one, that of the refresh token. */
    async logout(
      who: { caller?: Caller; refusal?: AppError },
      refreshToken: string | undefined,
      from: From,
    ): Promise<void> {
      const { caller } = who;
      const ended = caller?.loginId
        ? {
            id: caller.loginId,
            user_id: caller.id,
            row: await store.logins.endOne(caller.id, caller.loginId, 'logout'),
          }
        : refreshToken && kindOf(refreshToken) === 'refresh'
          ? await store.logins.endByRefresh(hashOf(refreshToken))
          : undefined;
      if (!ended) throw who.refusal ?? new AppError('token_invalid');
      onRevoked(ended.user_id, ended.id);
      await store.audit.add({
        event: 'logout',
        outcome: 'success',
        userId: ended.user_id,
        address: from.address,
        data: { login_id: ended.id },
      });
    },

    async logoutAll(caller: Caller, from: From): Promise<void> {
      await store.transaction(async (tx) => {
        await store.logins.endAll(tx, caller.id, 'logout_all');
        await store.audit.add(
          { event: 'logout_all', outcome: 'success', userId: caller.id, address: from.address },
          tx,
        );
      });
      onRevoked(caller.id, null);
    },

    async changePassword(
      caller: Caller,
      body: { current_password: string; new_password: string },
      from: From,
    ): Promise<void> {
      await limits.loginOfIdentifier.spend(identifierKey(from.address, `change ${caller.id}`));
      await withPassword(
        { event: 'change_password', address: from.address },
        () => requireUser(caller),
        body.current_password,
        async (user, verifiedHash, audit) => {
          requireGoodPassword({
            password: body.new_password,
            username: user.username,
            email: user.email,
            minLength: minPasswordLength,
            pointer: '/body/new_password',
          });
          const passwordHash = await passwords.hash(body.new_password);
          return store.transaction(async (tx) => {
            if (!(await store.users.replacePassword(tx, user.id, verifiedHash, passwordHash))) return undefined;
            await store.logins.endAll(tx, user.id, 'change_password', caller.loginId);
            await store.audit.add({ ...audit, outcome: 'success' }, tx);
            return true;
          });
        },
      );
      onRevoked(caller.id, null);
    },

    async listLogins(caller: Caller, page: Page): Promise<ReplyOf<Routes['listLogins']>> {
      const { rows, nextCursor } = await store.logins.list(caller.id, page);
      return { success: true, logins: rows.map((row) => viewLogin(row, caller.loginId)), next_cursor: nextCursor };
    },

    async endLogin(caller: Caller, id: string, from: From): Promise<void> {
      const ended = isId(id) ? await store.logins.endOne(caller.id, id, 'ended') : undefined;
      if (!ended) throw new AppError('not_found');
      onRevoked(caller.id, id);
      await store.audit.add({
        event: 'end_login',
        outcome: 'success',
        userId: caller.id,
        address: from.address,
        data: { login_id: id },
      });
    },

    async createKey(
      caller: Caller,
      body: { label: string; expires_in_secs?: number },
      from: From,
    ): Promise<ReplyOf<Routes['createKey']>> {
      // It would let in as an admin whoever has it, long after authentication is switched on again.
      if (caller.id === localUser.id)
        throw new AppError('conflict', { detail: 'Authentication is disabled: no key is needed.' });
      const token = newToken('key');
      const row = await store.keys.add(caller.id, body.label, hashOf(token), body.expires_in_secs);
      await store.audit.add({
        event: 'create_key',
        outcome: 'success',
        userId: caller.id,
        address: from.address,
        data: { key_id: row.id },
      });
      return { success: true, key: { ...viewKey(row), key_token: token } };
    },

    async listKeys(caller: Caller, page: Page): Promise<ReplyOf<Routes['listKeys']>> {
      const { rows, nextCursor } = await store.keys.list(caller.id, page);
      return { success: true, keys: rows.map(viewKey), next_cursor: nextCursor };
    },

    async deleteKey(caller: Caller, id: string, from: From): Promise<void> {
      const removed = isId(id) ? await store.keys.remove(caller.id, id) : undefined;
      if (!removed) throw new AppError('not_found');
      onRevoked(caller.id, null);
      await store.audit.add({
        event: 'delete_key',
        outcome: 'success',
        userId: caller.id,
        address: from.address,
        data: { key_id: id },
      });
    },
  };

  async function requireUser(caller: Caller): Promise<UserRow> {
    const user = await store.users.byId(caller.id);
    if (!user) throw new AppError('token_invalid');
    return user;
  }
}
export type AuthService = ReturnType<typeof createAuthService>;
