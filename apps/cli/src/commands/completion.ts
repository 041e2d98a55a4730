// completion SHELL

import type { shells } from '../arguments/commands.ts';
import { completionsOf } from '../arguments/completions.ts';
import type { Run } from './context.ts';

export const completion: Run = async ({ args, terminal }) => {
  // Checked against the choices of the table.
  terminal.print(completionsOf(args[0] as (typeof shells)[number]).trimEnd());
  return 'done';
};
