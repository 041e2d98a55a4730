import { AppError, routes } from '@pilothouse/contract';
import type { FastifyRequest } from 'fastify';
import { bearerOf } from '../http/problem.ts';
import type { Serve } from '../http/serve.ts';
import type { AuthLimits } from './auth.limits.ts';
import type { AuthService } from './auth.service.ts';
import { viewClaims } from './auth.view.ts';
import { kindOf } from './tokens.ts';

export function authRoutes(serve: Serve, auth: AuthService, limits: AuthLimits) {
  const byAddress = (limit: AuthLimits[keyof AuthLimits]) => ({ first: ({ ip }: FastifyRequest) => limit.spend(ip) });

  serve(routes.register, ({ body, from }) => auth.register(body, from), byAddress(limits.registerOfAddress));
  serve(routes.login, ({ body, from }) => auth.login(body, from), byAddress(limits.loginOfAddress));
  serve(routes.refresh, ({ body, from }) => auth.refresh(body.refresh_token, from), byAddress(limits.refreshOfAddress));
  serve(routes.getMe, ({ caller }) => {
    // With authentication switched off there is no login to make claims of.
    if (!caller.holder) throw new AppError('token_missing');
    return viewClaims(caller.holder);
  });
  // The bearer may have expired: then the refresh token in the body speaks for the login. Keys never do.
  const isNoKey = (request: FastifyRequest) => kindOf(bearerOf(request) ?? '') !== 'key';
  serve(
    routes.logout,
    ({ caller, body, from, refusal }) => auth.logout({ caller, refusal }, body.refresh_token, from),
    {
      isLenient: isNoKey,
    },
  );
  serve(routes.changePassword, ({ caller, body, from }) => auth.changePassword(caller, body, from));
  serve(routes.logoutAll, ({ caller, from }) => auth.logoutAll(caller, from));
  serve(routes.listLogins, ({ caller, query }) => auth.listLogins(caller, query));
  serve(routes.endLogin, ({ caller, params, from }) => auth.endLogin(caller, params.id, from));
  serve(routes.createKey, ({ caller, body, from }) => auth.createKey(caller, body, from));
  serve(routes.listKeys, ({ caller, query }) => auth.listKeys(caller, query));
  serve(routes.deleteKey, ({ caller, params, from }) => auth.deleteKey(caller, params.id, from));
}
