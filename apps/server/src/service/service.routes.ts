// Whether the process is alive, whether it can work, and what it offers.

import { AppError, type HealthReply, type ReadyReply, type ReplyOf, routes } from '@pilothouse/contract';
import type { Serve } from '../http/serve.ts';

type Options = {
  isAuthDisabled: boolean;
  /** Whether saved browser states are sealed. */
  hasProfileKey: boolean;
  version: string;
  /** Whether it was told to end, and proxies shall ask others. */
  isLeaving: () => boolean;
  ping: Record<'database' | 'bus', () => Promise<boolean>>;
  openApi: () => ReplyOf<typeof routes.getOpenApi>;
};

export function serviceRoutes(
  serve: Serve,
  { isAuthDisabled, hasProfileKey, version, isLeaving, ping, openApi }: Options,
) {
  const health: HealthReply = {
    success: true,
    status: 'ok',
    version,
    auth: isAuthDisabled ? 'disabled' : 'required',
    notices: [isAuthDisabled ? authDisabled : [], hasProfileKey ? [] : nothingSealed].flat(),
  };
  serve(routes.getHealth, () => health);

  serve(routes.getReady, async (): Promise<ReadyReply> => {
    if (isLeaving()) throw new AppError('overloaded', { detail: 'This server is about to end.', retryAfterSecs: 1 });
    const [database, bus] = await Promise.all([ping.database(), ping.bus()]);
    const missing = [database ? [] : 'the database', bus ? [] : 'the bus'].flat();
    if (missing.length > 0) {
      throw new AppError('overloaded', { detail: `Waiting for ${missing.join(' and ')}.`, retryAfterSecs: 1 });
    }
    return { success: true, status: 'ready' };
  });

  serve(routes.getOpenApi, openApi);
}

const authDisabled = 'Authentication is disabled: every request acts as the built-in user "local user".';
const nothingSealed =
  'PROFILE_KEY is not set: there are no profiles, and the saved states of browsers, which hold cookies, are not sealed.';
