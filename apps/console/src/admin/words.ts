// States, waits and sizes in words.

import type { TaskState, WaitCause } from '@pilothouse/contract';
import type { ChipTone } from '../ui/chip.tsx';

export const taskStates: Record<TaskState, { label: string; tone: ChipTone }> = {
  pending: { label: 'Waits its turn', tone: 'plain' },
  running: { label: 'Working', tone: 'agent' },
  awaiting_user: { label: 'Waits for a person', tone: 'person' },
  takeover: { label: 'A person drives', tone: 'driving' },
  success: { label: 'Done', tone: 'good' },
  failed: { label: 'Failed', tone: 'bad' },
  cancelled: { label: 'Cancelled', tone: 'line' },
};

export const waitWords: Record<WaitCause, string> = {
  agent: 'An agent',
  browser: 'A browser',
  model: 'The model',
  approval: 'A yes',
  plan: 'A yes to its plan',
  question: 'An answer',
  takeover: 'The person to hand back',
  session: 'The task before it',
  clock: 'A time',
};

const units = ['B', 'KB', 'MB', 'GB', 'TB'];

export function describeBytes(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  const amount = bytes / 1000 ** power;
  return `${power > 0 && amount < 10 ? amount.toFixed(1) : Math.round(amount)} ${units[power]}`;
}

/** `admin_disable` as a person reads it. */
export const describeEvent = (event: string): string => event.replaceAll('_', ' ');

export const formatCount = (count: number): string => count.toLocaleString('en-GB');
