// Metrics of what is removed by age: how long the oldest of each kind has been due, and how much was removed.

import { Counter, Gauge, type Registry } from 'prom-client';

export type RetentionMetrics = {
  removed(what: string, count: number): void;
  /** Asked with every scrape. */
  watchOverdue(what: string, ask: () => Promise<number>): void;
};

export function createRetentionMetrics(metrics: Registry): RetentionMetrics {
  const asked = new Map<string, () => Promise<number>>();
  new Gauge({
    name: 'pilothouse_retention_overdue_seconds',
    help: 'For how long the oldest of each kind has been due for removal; 0 if none is, NaN if the database did not say.',
    labelNames: ['what'],
    registers: [metrics],
    async collect() {
      for (const [what, ask] of asked) this.set({ what }, await ask().catch(() => Number.NaN));
    },
  });
  const counter = new Counter({
    name: 'pilothouse_retention_removed_total',
    help: 'What this agent has removed because of its age, or beyond the quota of a user.',
    labelNames: ['what'],
    registers: [metrics],
  });
  return {
    removed: (what, count) => counter.inc({ what }, count),
    watchOverdue: (what, ask) => void asked.set(what, ask),
  };
}
