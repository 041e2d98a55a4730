// Sends what a person says to an act. An answer that is not taken is said, and the task is read again.

import { isApiError } from '@pilothouse/sdk';
import { useQueryClient } from '@tanstack/react-query';
import { client } from '../api/login.ts';
import { showToast } from '../ui/toasts.ts';
import { showError } from './show-error.ts';
import { taskKey } from './use-task.ts';

const notTaken =
  'Your answer was not taken, and nothing was done: the agent no longer asks this. Its time was over, or the page has changed.';

/** Answers the question of this time only: the task may ask about another act by now. */
export function useDecide() {
  const cache = useQueryClient();
  return async (id: string, askedAt: string | undefined, answer: string): Promise<boolean> => {
    try {
      await client.signalTakeover({ id, answer, asked_at: askedAt });
      return true;
    } catch (error) {
      if (isApiError(error, 'conflict')) showToast(notTaken);
      else showError(error);
      void cache.invalidateQueries({ queryKey: taskKey(id) });
      return false;
    }
  };
}
