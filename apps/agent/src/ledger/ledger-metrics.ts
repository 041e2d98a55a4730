// Counts steps and tasks that ended, after their end is committed. Labels are words of the contract.

import type { Step } from '@pilothouse/contract';
import type { StepRow } from '@pilothouse/store';
import { Counter, Histogram, type Registry } from 'prom-client';

export type LedgerCounts = {
  stepEnded(action: Step['action'], attempt: Pick<StepRow, 'status' | 'intent_at' | 'effect_at'>): void;
  taskEnded(status: 'success' | 'failed'): void;
};

export const noCounts: LedgerCounts = { stepEnded: () => {}, taskEnded: () => {} };

export function createLedgerCounts(metrics: Registry): LedgerCounts {
  const registers = [metrics];
  const steps = new Counter({
    name: 'pilothouse_steps_total',
    help: 'Attempts at steps that this agent ended, by what the step does and how the attempt ended.',
    labelNames: ['action', 'outcome'],
    registers,
  });
  const seconds = new Histogram({
    name: 'pilothouse_step_seconds',
    help: 'From the intent of an attempt to its effect, by how it ended. Waits for the clock or a person are among them.',
    labelNames: ['outcome'],
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
    registers,
  });
  const tasks = new Counter({
    name: 'pilothouse_tasks_ended_total',
    help: 'Tasks that this agent ended, by how. Those that a person cancelled are not among them.',
    labelNames: ['status'],
    registers,
  });
  for (const outcome of ['success', 'failed', 'interrupted']) seconds.zero({ outcome });
  for (const status of ['success', 'failed']) tasks.inc({ status }, 0);
  return {
    stepEnded(action, { status: outcome, intent_at, effect_at }) {
      steps.inc({ action, outcome });
      if (effect_at) seconds.observe({ outcome }, (effect_at.getTime() - intent_at.getTime()) / 1000);
    },
    taskEnded: (status) => tasks.inc({ status }),
  };
}
