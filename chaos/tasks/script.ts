import type { Step } from '@pilothouse/contract';
import type { Random } from '../../testkit/random.ts';

/** A form that the script sends: where, by which step, and whether that cannot be undone. */
export type Sending = { path: string; index: number; isIrreversible: boolean };
export type Script = { steps: Step[]; sendings: Sending[] };

/** Of all scripts, how many have a step that cannot be undone. */
const irreversibleShare = 0.25;

/** From 5 to 20 steps over pages of their own, so that each form sent is known by its path. */
export function makeScript(
  url: string,
  name: string,
  random: Random,
  { least = 5, most = 20, mayBeIrreversible = true } = {},
): Script {
  const wanted = least + random.below(most - least + 1);
  const steps: Step[] = [];
  const sendings: Sending[] = [];
  let mayPay = mayBeIrreversible && random.is(irreversibleShare);
  while (steps.length < wanted) {
    const path = `/${name}/${steps.length + 1}`;
    steps.push({ action: 'navigate', url: `${url}${path}` });
    const left = wanted - steps.length;
    if (left > 1 && random.is(0.5)) steps.push({ action: 'type', target: 'Note', text: `note of ${name}` });
    if (left > 2 && random.is(0.3)) steps.push({ action: 'wait', for: { text: 'Ready' } });
    if (steps.length >= wanted) continue;
    const isIrreversible = mayPay && random.is(0.4);
    if (isIrreversible) mayPay = false;
    steps.push({ action: 'click', target: 'Send', ...(isIrreversible && { irreversible: true }) });
    sendings.push({ path, index: steps.length, isIrreversible });
  }
  return { steps, sendings };
}
