// Who may choose which mode of a policy.

import { AppError, type Policy } from '@pilothouse/contract';
import type { Caller } from '@pilothouse/store';

/** Throws where the caller is no administrator and chooses the mode that asks for nothing. */
export function requireMode({ role }: Caller, policy: Policy | undefined): void {
  if (policy?.mode === 'free' && role !== 'admin')
    throw new AppError('forbidden', { detail: 'Only administrators may choose the mode free.' });
}
