// Sends reports about a session to agents. It never delays the session that the report is about.

import { setTimeout as sleep } from 'node:timers/promises';
import { type Bus, type Report, report } from '@pilothouse/bus';
import type { Log } from '@pilothouse/process';

const requestMs = 3000;
const maxAttempts = 4;
const firstWaitMs = 200;

/** The session at this host that a message is about. */
export type SessionAddress = { host_id: string; session_id: string };

/** Gives up after a few attempts: the next agent that uses the session finds out by itself. */
export async function sendReport(
  bus: Bus,
  to: SessionAddress,
  message: Report,
  { log, signal }: { log: Log; signal: AbortSignal },
): Promise<void> {
  for (let attempt = 0; attempt < maxAttempts && !signal.aborted; attempt += 1) {
    if (attempt > 0) await sleep(firstWaitMs * 2 ** attempt, undefined, { signal }).catch(() => undefined);
    const result = await bus.request(report, to, message, { timeoutMs: requestMs, signal });
    if (result.ok) return;
    log.warn({ session_id: to.session_id, type: message.type, reason: result.reason }, 'no agent confirmed a report');
    // Sent twice it would be logged twice; but that a browser is gone can be true only once.
    if (result.mayHaveActed && message.type !== 'crashed') return;
  }
}
