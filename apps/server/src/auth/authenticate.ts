import { AppError } from '@pilothouse/contract';
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
export function asLocalUser({ isOpenToAll }: { isOpenToAll: boolean }): Authenticate {
  return async (request) => {
    if (!isOpenToAll && !isLoopback(hostOf(request))) throw strangeHost;
    const { origin } = request.headers;
    if (origin !== undefined && !isOwnOrigin(origin, request)) throw strangeOrigin;
    return localUser;
  };
}

/** By access token or API key, looked up at every request: what was ended a moment ago, anywhere, is over here too. */
export function byToken({ logins, keys }: Pick<Store, 'logins' | 'keys'>): Authenticate {
  return async (request, area) => {
    const token = bearerOf(request);
    if (token === undefined) throw new AppError('token_missing');
    const kind = kindOf(token);
    if (kind === 'access') {
      const holder = await logins.holderOf(hashOf(token));
      if (!holder) throw new AppError('token_invalid');
      if (holder.is_expired) throw new AppError('token_expired');
      return { id: holder.user_id, role: holder.role, loginId: holder.login_id, holder };
    }
    // A key is for programs: it cannot make keys, change passwords or end logins.
    const holder = kind === 'key' && area !== 'auth' ? await keys.holderOf(hashOf(token)) : undefined;
    if (!holder) throw new AppError('token_invalid');
    return { id: holder.user_id, role: holder.role, keyId: holder.key_id };
  };
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
