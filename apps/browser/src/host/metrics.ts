// Metrics of the host, for Prometheus. Labels are words of our own code: never an address, a session or text of a page.

import type { HostStatus } from '@pilothouse/bus';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { LimitHit } from '../limits/limits.ts';

export type HostCounters = {
  launched(outcome: 'ok' | 'failed'): void;
  /** A session got a browser that was launched ahead, or one that was launched for it. */
  tookBrowser(from: 'pool' | 'launch'): void;
  frame(): void;
  /** `reason`: one of the guard's, never text of the request. */
  refusedRequest(reason: string): void;
  leaseLost(): void;
  limitHit(hit: Pick<LimitHit, 'wall' | 'is_ended'>): void;
  /** `what`: the name of work that may fail. */
  ignoredError(what: string): void;
};

/** `reasons`: those of refused requests that are counted from the start, because Prometheus sees no rise in a series that begins with one. */
export function createHostCounters(metrics: Registry, reasons: readonly string[] = []): HostCounters {
  const counter = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Counter({ name: `pilothouse_host_${name}`, help, labelNames, registers: [metrics] });
  const launches = counter('launches_total', 'Browsers launched.', 'outcome');
  for (const outcome of ['ok', 'failed']) launches.inc({ outcome }, 0);
  const taken = counter('browsers_taken_total', 'Browsers given to sessions: from the pool, or launched.', 'from');
  const frames = counter('frames_total', 'Frames that sessions published.');
  const refused = counter('refused_requests_total', 'Requests of browsers that the guard refused.', 'reason');
  for (const reason of reasons) refused.inc({ reason }, 0);
  const leases = counter(
    'leases_lost_total',
    'How often no agent renewed the lease in time: the host did not act then.',
  );
  const hits = counter(
    'limit_hits_total',
    'Limits that sessions ran into, and whether they were ended.',
    'limit',
    'ended',
  );
  const ignored = counter('ignored_errors_total', 'Failures of work that may fail, by the name of the work.', 'what');

  return {
    launched: (outcome) => launches.inc({ outcome }),
    tookBrowser: (from) => taken.inc({ from }),
    frame: () => frames.inc(),
    refusedRequest: (reason) => refused.inc({ reason }),
    leaseLost: () => leases.inc(),
    limitHit: ({ wall, is_ended }) => hits.inc({ limit: wall, ended: String(is_ended) }),
    ignoredError: (what) => ignored.inc({ what }),
  };
}

/** Read when they are asked for. */
export function addHostGauges(metrics: Registry, status: () => HostStatus, isHeld: () => boolean): void {
  const gauge = (name: string, help: string, read: (status: HostStatus) => number) =>
    new Gauge({
      name: `pilothouse_host_${name}`,
      help,
      registers: [metrics],
      collect() {
        this.set(read(status()));
      },
    });
  gauge('lease_held', 'Whether this host may act: 1 or 0.', () => Number(isHeld()));
  gauge('sessions', 'Sessions that are open.', ({ sessions }) => sessions.length);
  gauge('capacity', 'Sessions that may be open at a time.', ({ capacity }) => capacity);
  gauge('warm_browsers', 'Browsers that are launched ahead and ready.', ({ warm }) => warm);
}

/** Counts how a launch ends. */
export function countLaunch<T>(launching: Promise<T>, counters: HostCounters | undefined): Promise<T> {
  if (counters)
    launching.then(
      () => counters.launched('ok'),
      () => counters.launched('failed'),
    );
  return launching;
}
