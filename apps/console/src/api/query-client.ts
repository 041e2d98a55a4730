// The cache of everything that was read. Streams write into it; reads are repeated only where that can help.

import { ApiError } from '@pilothouse/sdk';
import { QueryClient } from '@tanstack/react-query';

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: { retry: (count, error) => count < 3 && isPassing(error), staleTime: 2000, refetchOnWindowFocus: true },
    mutations: { retry: false },
  },
});

/** Whether the same call may succeed in a moment. A refusal stays one. */
function isPassing(error: unknown): boolean {
  return !(error instanceof ApiError) || error.code === 'overloaded' || error.code === 'internal';
}
