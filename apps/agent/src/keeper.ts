import { type Bus, heartbeat, queues } from '@pilothouse/bus';
import type { Log } from '@pilothouse/process';
import type { Store } from '@pilothouse/store';

type Options = { bus: Bus; store: Store; log: Log; hostLeaseMs: number };

const partitionDaysAhead = 30;
const houseworkEveryMs = 6 * 60 * 60 * 1000;

/** Keeps in the database what hosts, who have none, report; and keeps house: partitions ahead, what is over removed. */
export async function startKeeper({ bus, store, log, hostLeaseMs }: Options) {
  const hosts = bus.respond(
    heartbeat,
    {},
    async ({ host_id, boot_id, capacity, sessions }) => {
      await store.hosts.renew({
        hostId: host_id,
        bootId: boot_id,
        capacity,
        sessionCount: sessions.length,
        leaseMs: hostLeaseMs,
      });
      return { lease_ms: hostLeaseMs };
    },
    { queue: queues.heartbeat },
  );
  await hosts.ready({ timeoutMs: 5000 });

  async function keepHouse(): Promise<void> {
    const made = await store.events.ensurePartitions(partitionDaysAhead);
    if (made > 0) log.info({ made }, 'made partitions of the event log');
    await store.logins.sweep();
    await store.limits.sweep();
  }
  // The next turn comes in hours, and thirty days are ready: worth a line, not more.
  const work = () => void keepHouse().catch((error) => log.error({ err: error }, 'could not keep house'));
  work();
  const housework = setInterval(work, houseworkEveryMs);

  return {
    async close() {
      clearInterval(housework);
      await hosts.close();
    },
  };
}
