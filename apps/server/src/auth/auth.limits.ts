// Rate limits of authentication: by address before anything is read, by account or token family after.

import type { Limiter, Store } from '@pilothouse/store';
import { overLimit } from '../http/over-limit.ts';

export type LimitSettings = {
  loginPerIdentifier: number;
  loginPerAddress: number;
  registerPerAddress: number;
  refreshPerFamily: number;
  refreshPerAddress: number;
};
const windowSecs = 60;

export function createAuthLimits({ limits }: Pick<Store, 'limits'>, settings: LimitSettings) {
  const open = (name: string, points: number) => {
    const limiter: Limiter = limits.open({ name, points, windowSecs });
    return {
      async spend(key: string): Promise<void> {
        const spent = await limiter.spend(key);
        if (spent.isOver) throw overLimit({ ...spent, name });
      },
      forget: (key: string) => limiter.forget(key),
    };
  };
  return {
    loginOfAddress: open('login_address', settings.loginPerAddress),
    loginOfIdentifier: open('login', settings.loginPerIdentifier),
    registerOfAddress: open('register', settings.registerPerAddress),
    refreshOfAddress: open('refresh_address', settings.refreshPerAddress),
    refreshOfFamily: open('refresh', settings.refreshPerFamily),
  };
}
export type AuthLimits = ReturnType<typeof createAuthLimits>;

/** The key of an account at an address, whether the account exists or not: the limit does not show which names exist. */
export const identifierKey = (address: string, identifier: string) =>
  `${address} ${identifier.toLowerCase()}`.slice(0, 200);
