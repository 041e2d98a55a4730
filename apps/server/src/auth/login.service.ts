// Begins a login with a password, and carries it on with its refresh token.

import { AppError, type LoginRequest, type TokenReply } from '@pilothouse/contract';
import type { AuditEntry, Store, UserRow } from '@pilothouse/store';
import type { From } from '../http/call.ts';
import { type AuthLimits, identifierKey } from './auth.limits.ts';
import { viewUser } from './auth.view.ts';
import type { OnRevoked } from './logout.service.ts';
import type { Passwords } from './passwords.ts';
import { hashOf, kindOf, newToken, seal, unseal } from './tokens.ts';
import type { WithPassword } from './with-password.ts';

type Options = {
  store: Store;
  passwords: Passwords;
  withPassword: WithPassword;
  limits: AuthLimits;
  accessSecs: number;
  onRevoked: OnRevoked;
};
type TokenPair = { access_token: string; refresh_token: string };

export function createLoginService({ store, passwords, withPassword, limits, accessSecs, onRevoked }: Options) {
  const replyOf = (user: UserRow, tokens: TokenPair): TokenReply => ({
    ...tokens,
    token_type: 'Bearer',
    expires_in: accessSecs,
    user: viewUser(user),
  });

  /** Returns undefined if the password is no longer the verified one. A password change from here on ends this login. */
  async function begin(
    { user, verifiedHash, betterHash }: { user: UserRow; verifiedHash: string; betterHash: string | undefined },
    audit: Omit<AuditEntry, 'outcome'>,
    { address, userAgent }: From,
  ): Promise<TokenReply | undefined> {
    const tokens = newTokens();
    return store.transaction(async (tx) => {
      const isHeld = betterHash
        ? await store.users.replacePassword(tx, user.id, verifiedHash, betterHash)
        : await store.users.holdPassword(tx, user.id, verifiedHash);
      if (!isHeld) return undefined;
      const loginId = await store.logins.begin(tx, { userId: user.id, address, userAgent }, hashesOf(tokens));
      await store.audit.add({ ...audit, outcome: 'success', data: { login_id: loginId } }, tx);
      return replyOf(user, tokens);
    });
  }

  /** Replaces a refresh token. A token that was replaced before ends its login, unless it is a retry of that request. */
  function rotate(presented: string, tokens: TokenPair, { address }: From) {
    return store.transaction(async (tx) => {
      const rotation = await store.logins.rotate(tx, hashOf(presented), hashesOf(tokens), () =>
        seal(presented, JSON.stringify(tokens)),
      );
      if (rotation.type === 'reused') {
        const { userId, loginId } = rotation;
        const entry = { event: 'refresh', outcome: 'reuse', userId, address, data: { login_id: loginId } };
        await store.audit.add(entry, tx);
      }
      return rotation;
    });
  }

  return {
    async login({ username_or_email, password }: LoginRequest, from: From): Promise<TokenReply> {
      await limits.loginOfIdentifier.spend(identifierKey(from.address, username_or_email));
      return withPassword(
        { event: 'login', address: from.address },
        () => store.users.byNameOrEmail(username_or_email),
        password,
        async (user, verifiedHash, audit) => {
          const betterHash = passwords.isOutdated(verifiedHash) ? await passwords.hash(password) : undefined;
          return begin({ user, verifiedHash, betterHash }, audit, from);
        },
      );
    },

    async refresh(presented: string, from: From): Promise<TokenReply> {
      if (kindOf(presented) !== 'refresh') throw new AppError('token_invalid');
      const family = await store.logins.familyOf(hashOf(presented));
      if (!family) throw new AppError('token_invalid');
      await limits.refreshOfFamily.spend(family);
      const tokens = newTokens();
      const rotation = await rotate(presented, tokens, from);
      if (rotation.type === 'reused') onRevoked(rotation.userId, rotation.loginId);
      if (rotation.type === 'expired') throw new AppError('token_expired');
      if (rotation.type !== 'rotated' && rotation.type !== 'retried') throw new AppError('token_invalid');
      const user = await store.logins.userOf(rotation.loginId);
      if (!user) throw new AppError('token_invalid');
      if (rotation.type === 'rotated') return replyOf(user, tokens);
      return replyOf(user, JSON.parse(unseal(presented, rotation.sealedReply)) as TokenPair);
    },
  };
}
export type LoginService = ReturnType<typeof createLoginService>;

const newTokens = (): TokenPair => ({ access_token: newToken('access'), refresh_token: newToken('refresh') });

const hashesOf = ({ access_token, refresh_token }: TokenPair) => ({
  access: hashOf(access_token),
  refresh: hashOf(refresh_token),
});
