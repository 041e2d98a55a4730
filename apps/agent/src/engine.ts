import { DBOS } from '@dbos-inc/dbos-sdk';
import type { Log } from '@pilothouse/process';

type Options = { url: string; agentId: string; log: Log };

/**
 * Starts the durable engine in this process. The name and version are pinned: work begun by one release is taken up by
 * any other, which is safe because the workflow's body never changes and all decisions are in our own ledger.
 */
export async function startEngine({ url, agentId, log }: Options) {
  const toLog = (level: 'debug' | 'info' | 'warn' | 'error') => (message: unknown) =>
    log[level]({ engine: message }, 'engine');
  DBOS.setConfig({
    name: 'pilothouse',
    applicationVersion: 'pilothouse',
    systemDatabaseUrl: url,
    executorID: agentId,
    // Migrations are a command of their own: many processes may start at once.
    runMigrations: false,
    logger: { debug: toLog('debug'), info: toLog('debug'), warn: toLog('warn'), error: toLog('error') },
  });
  await DBOS.launch();
  return { close: () => DBOS.shutdown() };
}
