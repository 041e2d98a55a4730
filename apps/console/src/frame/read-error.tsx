// Where something could not be read: what, why, and the way to try again.

import { ApiError } from '@pilothouse/sdk';
import { CloudOff } from 'lucide-react';
import { describeError } from '../api/words.ts';
import { Button } from '../ui/button.tsx';
import { Empty } from '../ui/empty.tsx';
import { showToast } from '../ui/toasts.ts';

type ReadErrorProps = { what: string; error: unknown; onRetry: () => void };

export function ReadError({ what, error, onRetry }: ReadErrorProps) {
  const requestId = error instanceof ApiError ? error.requestId : undefined;
  const copy = async (id: string) => {
    await navigator.clipboard.writeText(id);
    showToast('The request id is copied.', 'good');
  };
  return (
    <Empty icon={CloudOff} title={`${what} could not be read`} text={describeError(error)}>
      <Button onClick={onRetry}>Try again</Button>
      {requestId && (
        <Button look="quiet" onClick={() => void copy(requestId)}>
          Copy the request id
        </Button>
      )}
    </Empty>
  );
}
