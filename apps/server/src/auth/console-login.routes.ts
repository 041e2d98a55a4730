// A login in a browser: the same logins and refresh tokens as those of programs, with the refresh token in a cookie.

import { AppError, type ConsoleTokenReply, routes, type TokenReply } from '@pilothouse/contract';
import type { FastifyRequest } from 'fastify';
import { Answer } from '../http/answer.ts';
import type { Serve } from '../http/serve.ts';
import type { AuthLimits } from './auth.limits.ts';
import type { LoginService } from './login.service.ts';
import type { LogoutService } from './logout.service.ts';
import {
  type CookieSite,
  clearRefreshCookie,
  cookieSiteOf,
  readRefreshCookie,
  readRefreshCookies,
  setRefreshCookie,
} from './refresh-cookie.ts';

type Services = { limits: AuthLimits; logins: LoginService; logouts: LogoutService; refreshIdleSecs: number };

export function consoleLoginRoutes(serve: Serve, { limits, logins, logouts, refreshIdleSecs }: Services) {
  // The origin first: a page of another origin must not use up the limit of an address.
  const guarded = (limit: AuthLimits[keyof AuthLimits]) => ({
    first: async (request: FastifyRequest) => {
      cookieSiteOf(request);
      await limit.spend(request.ip);
    },
  });
  const cookieOf = ({ refresh_token }: TokenReply, site: CookieSite) => ({
    'set-cookie': setRefreshCookie(refresh_token, site, refreshIdleSecs),
  });

  serve(
    routes.consoleLogin,
    async ({ body, request, from }) => {
      const site = cookieSiteOf(request);
      const before = readRefreshCookies(request, site);
      const tokens = await logins.login(body, from);
      // Its cookie is replaced: nobody could use the former login, or end it.
      for (const token of before) await logouts.logoutByCookie(token, from);
      return new Answer(200, bodyOf(tokens), undefined, cookieOf(tokens, site));
    },
    guarded(limits.loginOfAddress),
  );
  serve(
    routes.consoleRefresh,
    async ({ request, from }) => {
      const site = cookieSiteOf(request);
      const token = readRefreshCookie(request, site);
      if (token === undefined) throw new AppError('token_missing');
      const tokens = await logins.refresh(token, from);
      return new Answer(200, bodyOf(tokens), undefined, cookieOf(tokens, site));
    },
    guarded(limits.refreshOfAddress),
  );
  serve(
    routes.consoleLogout,
    async ({ request, from }) => {
      const site = cookieSiteOf(request);
      for (const token of readRefreshCookies(request, site)) await logouts.logoutByCookie(token, from);
      return new Answer(204, undefined, undefined, { 'set-cookie': clearRefreshCookie(site) });
    },
    guarded(limits.refreshOfAddress),
  );
}

const bodyOf = ({ refresh_token: _, ...body }: TokenReply): ConsoleTokenReply => body;
