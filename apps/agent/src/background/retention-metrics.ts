// Metrics of what is removed by age: how long the oldest of each kind has been due, and how much was removed.

import { createFigures, type Figures } from '@pilothouse/process';
import { Counter, Gauge, type Registry } from 'prom-client';

export type RetentionMetrics = {
  removed(what: string, count: number): void;
  /** Asked when metrics are read, and not more often than every ten seconds. */
  watchOverdue(what: string, ask: () => Promise<number>): void;
};

const askMs = 10_000;

export function createRetentionMetrics(metrics: Registry, { everyMs = askMs } = {}): RetentionMetrics {
  const asked = new Map<string, Figures<number>>();
  new Gauge({
    name: 'pilothouse_retention_overdue_seconds',
    help: 'For how long the oldest of each kind has been due for removal; 0 if none is, NaN if the database did not say.',
    labelNames: ['what'],
    registers: [metrics],
    async collect() {
      const read = async ([what, figures]: [string, Figures<number>]) =>
        this.set({ what }, (await figures.read()) ?? Number.NaN);
      await Promise.all([...asked].map(read));
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
    watchOverdue: (what, ask) => void asked.set(what, createFigures({ ask, everyMs })),
  };
}
