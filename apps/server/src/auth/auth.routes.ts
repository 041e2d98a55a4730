// The routes of authentication. Those without a login are limited by address before anything is read.

import { AppError, routes } from '@pilothouse/contract';
import type { FastifyRequest } from 'fastify';
import { bearerOf } from '../http/problem.ts';
import type { Serve } from '../http/serve.ts';
import type { AuthLimits } from './auth.limits.ts';
import { viewClaims } from './auth.view.ts';
import type { ChangePassword } from './change-password.service.ts';
import type { InvitesService } from './invites.service.ts';
import type { KeysService } from './keys.service.ts';
import type { LoginService } from './login.service.ts';
import type { LogoutService } from './logout.service.ts';
import type { RegistrationService } from './registration.service.ts';
import { kindOf } from './tokens.ts';

type Services = {
  limits: AuthLimits;
  registration: RegistrationService;
  logins: LoginService;
  logouts: LogoutService;
  changePassword: ChangePassword;
  keys: KeysService;
  invites: InvitesService;
};

export function authRoutes(serve: Serve, services: Services) {
  const { limits, registration, logins, logouts, changePassword, keys, invites } = services;
  const byAddress = (limit: AuthLimits[keyof AuthLimits]) => ({ first: ({ ip }: FastifyRequest) => limit.spend(ip) });

  serve(routes.register, ({ body, from }) => registration.register(body, from), byAddress(limits.registerOfAddress));
  serve(routes.login, ({ body, from }) => logins.login(body, from), byAddress(limits.loginOfAddress));
  serve(
    routes.refresh,
    ({ body, from }) => logins.refresh(body.refresh_token, from),
    byAddress(limits.refreshOfAddress),
  );
  serve(routes.getMe, ({ caller }) => {
    // With authentication disabled there is no login to make claims of.
    if (!caller.holder) throw new AppError('token_missing');
    return viewClaims(caller.holder);
  });
  // If the bearer token has expired, the refresh token in the body names the login. A key never does.
  const isNoKey = (request: FastifyRequest) => kindOf(bearerOf(request) ?? '') !== 'key';
  serve(
    routes.logout,
    ({ caller, body, from, refusal }) => logouts.logout({ caller, refusal }, body.refresh_token, from),
    { isLenient: isNoKey },
  );
  serve(routes.changePassword, ({ caller, body, from }) => changePassword(caller, body, from));
  serve(routes.logoutAll, ({ caller, from }) => logouts.logoutAll(caller, from));
  serve(routes.listLogins, ({ caller, query }) => logouts.list(caller, query));
  serve(routes.endLogin, ({ caller, params, from }) => logouts.end(caller, params.id, from));
  serve(routes.createKey, ({ caller, body, from }) => keys.create(caller, body, from));
  serve(routes.listKeys, ({ caller, query }) => keys.list(caller, query));
  serve(routes.deleteKey, ({ caller, params, from }) => keys.remove(caller, params.id, from));
  serve(routes.createInvite, ({ caller, body, from }) => invites.create(caller, body, from));
  serve(routes.listInvites, ({ caller, query }) => invites.list(caller, query));
  serve(routes.deleteInvite, ({ caller, params, from }) => invites.remove(caller, params.id, from));
}
