// Who called `/mcp`: a user with a login or a key. A share opens nothing here.

import { AppError } from '@pilothouse/contract';
import { type Caller, isGuest } from '@pilothouse/store';
import type { Exchange } from '../http/inner-calls.ts';

export function callerOf({ request: { caller } }: Exchange): Caller {
  if (!caller || isGuest(caller)) throw new AppError('token_missing');
  return caller;
}
