import { AppError, type HealthReply, type ReadyReply, type ReplyOf, routes } from '@pilothouse/contract';
import type { Serve } from '../http/serve.ts';

export type Dependencies = {
  isAuthDisabled: boolean;
  version: string;
  ping: Record<'database' | 'bus', () => Promise<boolean>>;
  openApi: () => ReplyOf<typeof routes.getOpenApi>;
};

/** Whether the process lives, whether it can work, and what it offers. */
export function serviceRoutes(serve: Serve, { isAuthDisabled, version, ping, openApi }: Dependencies) {
  const health: HealthReply = {
    success: true,
    status: 'ok',
    version,
    auth: isAuthDisabled ? 'disabled' : 'required',
    notices: isAuthDisabled
      ? ['Authentication is disabled: every request acts as the built-in user "local user".']
      : [],
  };
  serve(routes.getHealth, () => health);

  serve(routes.getReady, async (): Promise<ReadyReply> => {
    const [database, bus] = await Promise.all([ping.database(), ping.bus()]);
    const missing = [database ? [] : 'the database', bus ? [] : 'the bus'].flat();
    if (missing.length > 0) {
      throw new AppError('overloaded', { detail: `Waiting for ${missing.join(' and ')}.`, retryAfterSecs: 1 });
    }
    return { success: true, status: 'ready' };
  });

  serve(routes.getOpenApi, openApi);
}
