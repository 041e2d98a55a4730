// Refuses everyone who is no administrator.

import { AppError } from '@pilothouse/contract';
import type { Caller } from '@pilothouse/store';

export function requireAdmin({ role }: Caller, detail = 'Only administrators may do this.'): void {
  if (role !== 'admin') throw new AppError('forbidden', { detail });
}
