import { AppError, type Route } from '@pilothouse/contract';
import { localUser, type Store } from '@pilothouse/store';
import type { FastifyRequest } from 'fastify';
import { isLoopback } from '../http/loopback.ts';
import { bearerOf } from '../http/problem.ts';
import type { Authenticate } from '../http/serve.ts';
import { hashOf, kindOf } from './tokens.ts';

/**
 * With authentication switched off every request acts as the built-in user. Then the only thing between a hostile web
 * page, open in a browser on this machine, and our browsers is that we are not the host it came from.
 */
export function asLocalUser(
  { shares }: Pick<Store, 'shares'>,
  { isOpenToAll }: { isOpenToAll: boolean },
): Authenticate {
  return async (request, route) => {
    if (!isOpenToAll && !isLoopback(hostOf(request))) throw strangeHost;
    const { origin } = request.headers;
    if (origin !== undefined && !isOwnOrigin(origin, request)) throw strangeOrigin;
    // Who shows a share wants to see what it shows, and no more.
    return (await guestOf(shares, request, route)) ?? localUser;
  };
}

/** By access token or API key, looked up at every request: what was ended a moment ago, anywhere, is over here too. */
export function byToken({ logins, keys, shares }: Pick<Store, 'logins' | 'keys' | 'shares'>): Authenticate {
  return async (request, route) => {
    const token = bearerOf(request);
    if (token === undefined) {
      const guest = await guestOf(shares, request, route);
      if (!guest) throw new AppError('token_missing');
      // What was shared while nobody had to log in was the built-in user's, who is nobody now.
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
    // A key is for programs: it cannot make keys, change passwords or end logins.
    const holder = kind === 'key' && route.area !== 'auth' ? await keys.holderOf(hashOf(token)) : undefined;
    if (!holder) throw new AppError('token_invalid');
    return { id: holder.user_id, role: holder.role, keyId: holder.key_id };
  };
}

/**
 * Who comes with the token of a share, on a route that a share opens; undefined, where none was shown. Unknown,
 * replaced, revoked and expired are one answer.
 */
async function guestOf(shares: Store['shares'], { headers }: FastifyRequest, { access }: Pick<Route, 'access'>) {
  const token = headers['x-share-token'];
  if (access !== 'share' || token === undefined) return undefined;
  const isOne = typeof token === 'string' && kindOf(token) === 'share';
  const guest = isOne ? await shares.guestOf(hashOf(token)) : undefined;
  if (!guest) throw new AppError('token_invalid');
  return guest;
}

const strangeHost = new AppError('validation_failed', {
  detail: 'Authentication is disabled, so only requests addressed to this machine by name are taken.',
});
const strangeOrigin = new AppError('validation_failed', {
  detail: 'Authentication is disabled, so requests from pages of other origins are not taken.',
});

const hostOf = (request: FastifyRequest) => (request.headers.host ?? '').replace(/:\d+$/, '');

const isOwnOrigin = (origin: string, request: FastifyRequest) =>
  URL.canParse(origin) && new URL(origin).host === request.headers.host;
