import { AppError } from '@pilothouse/contract';
import { localUser } from '@pilothouse/store';
import type { FastifyRequest } from 'fastify';
import { isLoopback } from '../http/loopback.ts';
import { bearerOf } from '../http/problem.ts';
import type { Authenticate } from '../http/serve.ts';

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

/** No token has been issued yet that could be known, so none is. */
export const byToken: Authenticate = async (request) => {
  throw new AppError(bearerOf(request) ? 'token_invalid' : 'token_missing');
};

const strangeHost = new AppError('validation_failed', {
  detail: 'Authentication is disabled, so only requests addressed to this machine by name are taken.',
});
const strangeOrigin = new AppError('validation_failed', {
  detail: 'Authentication is disabled, so requests from pages of other origins are not taken.',
});

const hostOf = (request: FastifyRequest) => (request.headers.host ?? '').replace(/:\d+$/, '');

const isOwnOrigin = (origin: string, request: FastifyRequest) =>
  URL.canParse(origin) && new URL(origin).host === request.headers.host;
