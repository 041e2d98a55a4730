// The logged in user, as components read it.

import type { User } from '@pilothouse/contract';
import { useSyncExternalStore } from 'react';
import { login } from './login.ts';

/** Undefined without a login, also where the server asks for none. */
export const useUser = (): User | undefined => useSyncExternalStore(login.onChange, login.user);
