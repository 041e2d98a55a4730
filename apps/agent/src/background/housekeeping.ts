// Creates partitions of the event log ahead of time, and removes what is of no more use. Each part is claimed by one agent
// at a time, and a part that fails does not stop the others.

import { createFigures, type Log } from '@pilothouse/process';
import type { Store } from '@pilothouse/store';
import { Gauge, type Registry } from 'prom-client';
import { drain } from '../common/drain.ts';
import { startRepeating } from '../common/repeat.ts';
import type { Part } from './housekeeping-parts.ts';
import type { RetentionMetrics } from './retention-metrics.ts';

type Options = {
  store: Pick<Store, 'maintenance'>;
  log: Log;
  metrics: Registry;
  retention: RetentionMetrics;
  parts: Part[];
  everyMs?: number;
  /** For metrics, the database is not asked more often than this. */
  askEveryMs?: number;
};

const lookMs = 60_000;
const retrySecs = 300;
const askMs = 10_000;

export function startHousekeeping(options: Options) {
  const { store, log, metrics, retention, parts, everyMs = lookMs, askEveryMs = askMs } = options;
  const { maintenance } = store;
  const closing = new AbortController();
  exposeSuccesses(metrics, maintenance, askEveryMs);
  for (const { name, overdueSecs } of parts) if (overdueSecs) retention.watchOverdue(name, overdueSecs);

  async function removeBatch({ name, batch }: Part): Promise<number> {
    const count = await batch(closing.signal);
    if (count > 0) retention.removed(name, count);
    return count;
  }

  async function work(part: Part): Promise<void> {
    const { name } = part;
    if (!(await maintenance.claim(name, part.everySecs))) return;
    try {
      const done = await drain(() => removeBatch(part), closing.signal);
      if (done > 0) log.info({ part: name, done }, 'removed what is of no more use');
      await maintenance.succeed(name);
    } catch (error) {
      log.error({ err: error, part: name }, 'a part of housekeeping failed');
      await maintenance.fail(name, retrySecs);
    }
  }

  async function look(): Promise<void> {
    const due = new Set(await maintenance.due(parts.map(({ name }) => name)));
    for (const part of parts) if (due.has(part.name) && !closing.signal.aborted) await work(part);
  }

  const rounds = startRepeating(look, everyMs, (error) => log.error({ err: error }, 'housekeeping failed'));
  return {
    async close() {
      closing.abort();
      await rounds.close();
    },
  };
}

function exposeSuccesses(metrics: Registry, maintenance: Store['maintenance'], everyMs: number): void {
  const successes = createFigures({ ask: () => maintenance.successes(), everyMs });
  new Gauge({
    name: 'pilothouse_housekeeping_last_success_timestamp_seconds',
    help: 'When each part of housekeeping last succeeded, at any agent.',
    labelNames: ['part'],
    registers: [metrics],
    async collect() {
      // Without an answer of the database the last values stay, and grow old.
      const found = (await successes.read()) ?? [];
      for (const { part, succeeded_at } of found) this.set({ part }, succeeded_at.getTime() / 1000);
    },
  });
}
