// The life of a process: start, wait for a signal, stop.

import { createLog, type Log } from './log.ts';
import { SettingsError } from './settings.ts';

export type Closable = { close(): Promise<void> };
/**
 * `finishWork`: what it does before it closes, within `finishWithinMs` more, where it is told to end. It is not waited for after an
 * uncaught error or a second signal.
 */
type Started = Closable & { log: Log; finishWork?: (signal: AbortSignal) => Promise<void>; finishWithinMs?: number };

/**
 * Starts the process, waits for SIGTERM or SIGINT, and closes it within the deadline; a second signal hurries it. An uncaught
 * error ends the process: its state after one is unknown.
 */
export function run(name: string, start: () => Promise<Started>, { stopWithinMs = 10_000 } = {}): void {
  let log = createLog(name, 'info');
  let started: Started | undefined;
  let isStopping = false;
  let exitCode = 0;

  const hurry = new AbortController();
  const stop = async (reason: string) => {
    if (isStopping) return hurry.abort();
    isStopping = true;
    log.info({ reason }, 'stopping');
    const late = setTimeout(
      () => {
        log.error('did not stop in time');
        process.exit(1);
      },
      stopWithinMs + (started?.finishWithinMs ?? 0),
    );
    try {
      if (!hurry.signal.aborted) await started?.finishWork?.(hurry.signal);
      await started?.close();
    } catch (error) {
      exitCode = 1;
      log.error({ err: error }, 'failed to stop cleanly');
    }
    clearTimeout(late);
    process.exit(exitCode);
  };

  const die = (error: unknown) => {
    // Also while it is stopping.
    exitCode = 1;
    log.fatal({ err: error }, 'exiting on an uncaught error');
    hurry.abort();
    void stop('error');
  };
  process.on('uncaughtException', die);
  process.on('unhandledRejection', die);
  process.on('SIGTERM', () => void stop('SIGTERM'));
  process.on('SIGINT', () => void stop('SIGINT'));

  start().then(
    (running) => {
      started = running;
      log = running.log;
      log.info('ready');
    },
    (error) => {
      if (error instanceof SettingsError) console.error(error.message);
      else log.fatal({ err: error }, 'could not start');
      process.exit(error instanceof SettingsError ? 2 : 1);
    },
  );
}
