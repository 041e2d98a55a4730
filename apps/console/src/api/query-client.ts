// The cache of everything that was read. Streams write into it; reads are repeated only where that can help.

import { ApiError } from '@pilothouse/sdk';
import { type Query, QueryClient } from '@tanstack/react-query';

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: { retry: (count, error) => count < 3 && isPassing(error), staleTime: 2000, refetchOnWindowFocus: true },
    mutations: { retry: false },
  },
});

const readAgainMs = 3000;

/** For what a stream keeps new: read again by itself where that failed and may succeed in a moment. */
export const readAgain = ({ state }: Pick<Query, 'state'>): number | false =>
  state.status === 'error' && isPassing(state.error) ? readAgainMs : false;

/** Whether the same call may succeed in a moment. A refusal stays one. */
export function isPassing(error: unknown): boolean {
  return !(error instanceof ApiError) || error.code === 'overloaded' || error.code === 'internal';
}
