import { type Bus, heartbeat, queues } from '@pilothouse/bus';
import type { Log } from '@pilothouse/process';
import type { Store } from '@pilothouse/store';

type Options = { bus: Bus; store: Store; log: Log; hostLeaseMs: number };

const partitionDaysAhead = 30;
const partitionsEveryMs = 6 * 60 * 60 * 1000;

/** Keeps in the database what hosts, who have none, report; and the log's partitions ahead of the days. */
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

  const makePartitions = () => {
    store.events.ensurePartitions(partitionDaysAhead).then(
      (made) => made > 0 && log.info({ made }, 'made partitions of the event log'),
      // The next turn comes in hours, and thirty days are ready: worth a line, not more.
      (error) => log.error({ err: error }, 'could not make partitions of the event log'),
    );
  };
  makePartitions();
  const partitions = setInterval(makePartitions, partitionsEveryMs);

  return {
    async close() {
      clearInterval(partitions);
      await hosts.close();
    },
  };
}
