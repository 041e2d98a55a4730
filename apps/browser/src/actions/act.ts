import type { Step } from '@pilothouse/contract';
import { StepFailure } from '../failure.ts';
import { move, navigate, reload } from './go.ts';
import type { Hands } from './hands.ts';
import { check, click, press, select, type } from './touch.ts';
import { wait } from './wait.ts';

/** Does the step, or throws why not. */
export async function act(step: Step, hands: Hands): Promise<void> {
  switch (step.action) {
    case 'navigate':
      return navigate(hands, step.url);
    case 'back':
    case 'forward':
      return move(hands, step.action);
    case 'reload':
      return reload(hands);
    case 'click':
      return click(hands, step.target);
    case 'type':
      return type(hands, step.target, step.text);
    case 'press':
      return press(hands, step.key, step.target);
    case 'select':
      return select(hands, step.target, step.option);
    case 'check':
      return check(hands, step.target, step.checked);
    case 'wait':
      return wait(hands, step);
    case 'screenshot':
      // Every answer carries the picture.
      return;
    default:
      throw new StepFailure('unsupported', `this host cannot ${step.action}`);
  }
}
