// What one agent runs to remove what is old, and nothing else of it, with short pauses.

import { createLog } from '@pilothouse/process';
import type { Store } from '@pilothouse/store';
import { Registry } from 'prom-client';
import { startHousekeeping } from '../src/background/housekeeping.ts';
import { housekeepingParts } from '../src/background/housekeeping-parts.ts';
import { startRetention } from '../src/background/old-recordings.ts';
import { createRetentionMetrics } from '../src/background/retention-metrics.ts';

const keepDays = { events: 90, logs: 90, observations: 90, steps: 90, takeovers: 90, audit: 0, logins: 30 };
const everyMs = 200;

/** Returns what ends it. */
export function startRemovals(store: Store): () => Promise<void> {
  const log = createLog('agent', 'silent');
  const metrics = new Registry();
  const retention = createRetentionMetrics(metrics);
  const limits = { keepDays: 30, maxBytesPerUser: Number.MAX_SAFE_INTEGER, filesKeepDays: 30 };
  const frames = startRetention({ store, log, metrics: retention, ...limits, everyMs });
  const parts = housekeepingParts(store, keepDays).map((part) => ({ ...part, everySecs: 1 }));
  const housekeeping = startHousekeeping({ store, log, metrics, retention, parts, everyMs });
  return async () => {
    await Promise.all([frames.close(), housekeeping.close()]);
  };
}
