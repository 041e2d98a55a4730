// Finds the caller of a request: by access token, API key or share token, or the built-in user.

import { AppError, type Route } from '@pilothouse/contract';
import { localUser, type Store } from '@pilothouse/store';
import type { FastifyRequest } from 'fastify';
import type { Authenticate } from '../http/call.ts';
import { bearerOf } from '../http/problem.ts';
import { hashOf, kindOf } from './tokens.ts';

/**
 * With authentication disabled every request acts as the built-in user. Requests from pages of other origins are refused
 * on all routes (`http/request-origin.ts`).
 */
export function asLocalUser({ shares }: Pick<Store, 'shares'>): Authenticate {
  // A request with a share token sees only what the share shows.
  return async (request, route) => (await guestOf(shares, request, route)) ?? localUser;
}

/** Tokens are looked up at every request, so that one that was ended at another server is over here, too. */
export function byToken({ logins, keys, shares }: Pick<Store, 'logins' | 'keys' | 'shares'>): Authenticate {
  return async (request, route) => {
    const token = bearerOf(request);
    if (token === undefined) {
      const guest = await guestOf(shares, request, route);
      if (!guest) throw new AppError('token_missing');
      // Shares of the built-in user were made while authentication was disabled.
      if (guest.ownerId === localUser.id) throw new AppError('token_invalid');
      return guest;
    }
    const kind = kindOf(token);
    if (kind === 'access') {
      const holder = await logins.holderOf(hashOf(token));
      if (!holder) throw new AppError('token_invalid');
      if (holder.is_expired) throw new AppError('token_expired');
      return { id: holder.user_id, role: holder.role, loginId: holder.login_id, holder };
    }
    // A key is for programs: it cannot make keys, change passwords, end logins or administer.
    const isClosed = route.area === 'auth' || route.area === 'admin';
    const holder = kind === 'key' && !isClosed ? await keys.holderOf(hashOf(token)) : undefined;
    if (!holder) throw new AppError('token_invalid');
    return { id: holder.user_id, role: holder.role, keyId: holder.key_id };
  };
}

/**
 * The guest of a share token, on a route that can be shared; undefined without such a token. Unknown, replaced, revoked
 * and expired tokens get the same answer.
 */
async function guestOf(shares: Store['shares'], { headers }: FastifyRequest, { access }: Pick<Route, 'access'>) {
  const token = headers['x-share-token'];
  if (access !== 'share' || token === undefined) return undefined;
  const isOne = typeof token === 'string' && kindOf(token) === 'share';
  const guest = isOne ? await shares.guestOf(hashOf(token)) : undefined;
  if (!guest) throw new AppError('token_invalid');
  return guest;
}
