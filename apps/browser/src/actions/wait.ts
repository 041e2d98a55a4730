// Waits for a time, for the network, or until the page shows something.

import type { Step } from '@pilothouse/contract';
import { pause, within } from '../common/deadline.ts';
import { StepFailure } from '../common/failure.ts';
import type { ActionTools } from './action-tools.ts';

const pollMs = 100;

type WaitStep = Extract<Step, { action: 'wait' }>;

export async function wait(tools: ActionTools, { for: condition, timeout_secs }: WaitStep): Promise<void> {
  const { page, eyes } = tools;
  const deadline = timeout_secs === undefined ? tools.deadline : tools.deadline.atMost(timeout_secs * 1000);

  if ('idle' in condition) {
    await within(deadline, page.waitForLoadState('networkidle', { timeout: deadline.leftMs() }));
  } else if ('secs' in condition) {
    if (condition.secs * 1000 > deadline.leftMs()) throw late('the wait is longer than the time given');
    await pause(condition.secs * 1000, deadline);
    // A wait that was cut short does not count.
    if (deadline.signal.aborted) throw late('the wait was cut short');
  } else {
    const isSeen = () => ('url' in condition ? page.url().includes(condition.url) : eyes.sees(condition, deadline));
    while (!(await isSeen())) {
      await pause(pollMs, deadline);
      if (deadline.isOver()) throw late('it did not come in time');
    }
  }
}

const late = (message: string) => new StepFailure('timeout', message);
