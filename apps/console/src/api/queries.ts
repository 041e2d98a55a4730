// What is read from the server, and under which key it lies in the cache.

import { queryOptions } from '@tanstack/react-query';
import { client } from './login.ts';

/** What the operator wants everyone to know, and whether there are logins. */
export const healthQuery = queryOptions({
  queryKey: ['health'],
  queryFn: ({ signal }) => client.getHealth({}, { signal }),
  staleTime: 60_000,
});
