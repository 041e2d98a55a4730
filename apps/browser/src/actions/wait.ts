import type { Step } from '@pilothouse/contract';
import { pause, within } from '../deadline.ts';
import { StepFailure } from '../failure.ts';
import type { Hands } from './hands.ts';

const POLL_MS = 50;

type WaitStep = Extract<Step, { action: 'wait' }>;

export async function wait(hands: Hands, { for: sight, timeout_secs }: WaitStep): Promise<void> {
  const { page } = hands;
  const deadline = timeout_secs === undefined ? hands.deadline : hands.deadline.atMost(timeout_secs * 1000);
  const timeout = deadline.leftMs();

  if ('text' in sight)
    await within(deadline, page.getByText(sight.text).filter({ visible: true }).first().waitFor({ timeout }));
  else if ('selector' in sight) {
    await within(deadline, page.locator(sight.selector).filter({ visible: true }).first().waitFor({ timeout }));
  } else if ('idle' in sight) await within(deadline, page.waitForLoadState('networkidle', { timeout }));
  else if ('secs' in sight) {
    if (sight.secs * 1000 > timeout) throw new StepFailure('timeout', 'the wait is longer than the time given');
    await pause(sight.secs * 1000, deadline);
  } else {
    while (!page.url().includes(sight.url)) {
      if (deadline.isOver()) throw new StepFailure('timeout', 'the page did not get to the address');
      await pause(POLL_MS, deadline);
    }
  }
}
