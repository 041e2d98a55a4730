// Says that something was not done. A lost connection is a fact, not a failure: it is never said in red.

import { ConnectionError } from '@pilothouse/sdk';
import { describeError } from '../api/words.ts';
import { showToast } from '../ui/toasts.ts';

export const showError = (error: unknown): void =>
  showToast(describeError(error), error instanceof ConnectionError ? 'plain' : 'bad');
