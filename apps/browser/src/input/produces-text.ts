// Whether an input of a person types text, which makes the page private.

import type { Input } from '@pilothouse/bus';
import { keyOf } from '../common/key-codes.ts';

/** Whether a page may learn a secret from it. Keys that move the cursor, give a command or type a space tell none. */
export function producesText(input: Input): boolean {
  switch (input.action) {
    case 'type':
    case 'compose':
    case 'paste':
      return input.text.trim() !== '';
    case 'key':
      return (keyOf(input.key, input.modifiers)?.text ?? '').trim() !== '';
    default:
      return false;
  }
}
