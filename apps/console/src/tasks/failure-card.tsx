// Why a task failed, in the server's words, and what can be done about it.

import { RefreshCw, ShipWheel, X } from 'lucide-react';
import { Button } from '../ui/button.tsx';
import { LongText } from '../ui/long-text.tsx';
import type { TaskView } from './timeline-model.ts';

type FailureCardProps = {
  task: TaskView;
  isBusy: boolean;
  canDrive: boolean;
  onRunAgain: () => void;
  onDrive: () => void;
  onShowLog: () => void;
};

export default function FailureCard({ task, isBusy, canDrive, onRunAgain, onDrive, onShowLog }: FailureCardProps) {
  // A model gives up between two steps.
  const where = task.total_steps
    ? `at step ${task.current_step} of ${task.total_steps}`
    : `after step ${task.current_step}`;
  return (
    <article data-testid="failure" className="mx-4 mt-3 mb-2 rounded-3 p-3.5 ring-1 ring-bad">
      <h3 className="mb-1.5 flex items-center gap-2 font-semibold text-bad-ink">
        <X size={16} strokeWidth={1.75} aria-hidden />
        {task.current_step > 0 ? `Failed ${where}` : 'Failed before the first step'}
      </h3>
      <LongText text={task.last_error ?? 'No reason was given.'} lines={4} className="text-14" />
      <div className="mt-3 flex flex-wrap gap-2">
        <Button size="sm" icon={RefreshCw} isBusy={isBusy} onClick={onRunAgain}>
          Run again
        </Button>
        {canDrive && (
          <Button size="sm" icon={ShipWheel} isBusy={isBusy} onClick={onDrive}>
            Open and drive
          </Button>
        )}
        <Button look="quiet" size="sm" onClick={onShowLog}>
          See the log
        </Button>
      </div>
    </article>
  );
}
