import type { Step } from '@pilothouse/contract';
import { pause, within } from '../deadline.ts';
import { StepFailure } from '../failure.ts';
import type { Hands } from './hands.ts';

const POLL_MS = 100;

type WaitStep = Extract<Step, { action: 'wait' }>;

export async function wait(hands: Hands, { for: sight, timeout_secs }: WaitStep): Promise<void> {
  const { page, eyes } = hands;
  const deadline = timeout_secs === undefined ? hands.deadline : hands.deadline.atMost(timeout_secs * 1000);

  if ('idle' in sight) {
    await within(deadline, page.waitForLoadState('networkidle', { timeout: deadline.leftMs() }));
  } else if ('secs' in sight) {
    if (sight.secs * 1000 > deadline.leftMs()) throw late('the wait is longer than the time given');
    await pause(sight.secs * 1000, deadline);
    // Cut short is not waited.
    if (deadline.signal.aborted) throw late('the wait was cut short');
  } else {
    const isSeen = () => ('url' in sight ? page.url().includes(sight.url) : eyes.sees(sight, deadline));
    while (!(await isSeen())) {
      await pause(POLL_MS, deadline);
      if (deadline.isOver()) throw late('it did not come in time');
    }
  }
}

const late = (message: string) => new StepFailure('timeout', message);
