// Whether the person may see what administrators see.

import { useQuery } from '@tanstack/react-query';
import { healthQuery } from './queries.ts';
import { useUser } from './use-user.ts';

/** Without logins everyone acts as the built-in user, who is one. */
export function useIsAdmin(): boolean {
  const user = useUser();
  const { data } = useQuery(healthQuery);
  return user ? user.role === 'admin' : data !== undefined && data.auth !== 'required';
}
