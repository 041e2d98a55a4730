// Creates partitions of the event log ahead of time, and deletes expired rows.

import type { Log } from '@pilothouse/process';
import type { Store } from '@pilothouse/store';

type Options = { store: Store; log: Log };

const partitionDaysAhead = 30;
const everyMs = 6 * 60 * 60 * 1000;

export function startHousekeeping({ store, log }: Options) {
  async function sweep(): Promise<void> {
    const made = await store.events.ensurePartitions(partitionDaysAhead);
    if (made > 0) log.info({ made }, 'created partitions of the event log');
    await store.logins.sweep();
    await store.limits.sweep();
    await store.idempotency.sweep();
    await store.viewers.sweep();
    await store.recorders.sweep();
    await store.agents.sweep();
    await store.hosts.sweep();
    await store.reports.sweep();
    await store.browserTurns.sweep();
    await store.jobClaims.sweep();
  }
  // A failure is logged and nothing more: partitions for thirty days exist, and the next run comes in hours.
  const run = () => void sweep().catch((error) => log.error({ err: error }, 'housekeeping failed'));
  run();
  const timer = setInterval(run, everyMs);

  return { close: () => clearInterval(timer) };
}
