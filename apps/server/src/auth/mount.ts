// Builds the services of authentication, and serves their routes.

import type { Registration } from '@pilothouse/contract';
import type { Store } from '@pilothouse/store';
import type { Serve } from '../http/serve.ts';
import { createAuthLimits, type LimitSettings } from './auth.limits.ts';
import { authRoutes } from './auth.routes.ts';
import { createChangePassword } from './change-password.service.ts';
import { consoleLoginRoutes } from './console-login.routes.ts';
import { createInvitesService } from './invites.service.ts';
import { createKeysService } from './keys.service.ts';
import { createLoginService } from './login.service.ts';
import { createLogoutService, type OnRevoked } from './logout.service.ts';
import { createPasswords } from './passwords.ts';
import { createRegistrationService } from './registration.service.ts';
import { createWithPassword } from './with-password.ts';

export type AuthSettings = {
  minPasswordLength: number;
  registration: Registration;
  accessSecs: number;
  /** How long an unused refresh token is valid, and with it the cookie that holds it. */
  refreshIdleSecs: number;
  limits: LimitSettings;
};
type Options = { store: Store; settings: AuthSettings; onRevoked: OnRevoked };

export function mountAuth(serve: Serve, { store, settings, onRevoked }: Options): void {
  const { minPasswordLength, accessSecs, registration } = settings;
  const limits = createAuthLimits(store, settings.limits);
  const passwords = createPasswords();
  const withPassword = createWithPassword({ store, passwords });
  const logins = createLoginService({ store, passwords, withPassword, limits, accessSecs, onRevoked });
  const logouts = createLogoutService({ store, onRevoked });
  consoleLoginRoutes(serve, { limits, logins, logouts, refreshIdleSecs: settings.refreshIdleSecs });
  authRoutes(serve, {
    limits,
    registration: createRegistrationService({ store, passwords, minPasswordLength, registration }),
    logins,
    logouts,
    changePassword: createChangePassword({ store, passwords, withPassword, limits, minPasswordLength, onRevoked }),
    keys: createKeysService({ store, onRevoked }),
    invites: createInvitesService({ store, registration }),
  });
}
