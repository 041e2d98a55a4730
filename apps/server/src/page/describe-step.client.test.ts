import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Step } from '@pilothouse/contract';
import { describeStep } from './describe-step.client.ts';

it('a step is described by its title or in the words of a script, never by what is typed', () => {
  const steps: [step: Step, description: string][] = [
    [{ action: 'screenshot' }, 'screenshot'],
    [{ action: 'click', target: 'Pay', irreversible: true }, 'click "Pay"'],
    [{ action: 'click', target: 'Pay', irreversible: false }, 'click "Pay"'],
    [{ action: 'click', target: 'Pay', title: 'Pay the bill' }, 'Pay the bill'],
    [{ action: 'type', target: 'Password', text: 'hunter2' }, 'type "…" into "Password"'],
    [{ action: 'type', target: 'Password', text: 'hunter2', irreversible: false }, 'type "…" into "Password"'],
    [{ action: 'answer_dialog', accept: true, text: 'hunter2' }, 'accept dialog with "…"'],
    [{ action: 'answer_dialog', accept: true }, 'accept dialog'],
  ];
  for (const [step, description] of steps) assert.equal(describeStep(step), description);
});
