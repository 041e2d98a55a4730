// One step in words.

import { printScript, type Step } from '@pilothouse/contract';

/** The title, or the step as a script writes it. Typed text is left out: it may be a password. */
export function describeStep(step: Step): string {
  if (step.title !== undefined) return step.title;
  const plain: Step = { ...step, irreversible: undefined };
  const isTyped = plain.action === 'type' || (plain.action === 'answer_dialog' && plain.text !== undefined);
  return printScript([isTyped ? { ...plain, text: '…' } : plain]);
}
