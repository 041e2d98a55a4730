// Saves the evidence of a task: what is recorded of it, in one signed file. Shows nothing of it.

import { FileCheck } from 'lucide-react';
import { useState } from 'react';
import { client } from '../api/login.ts';
import { describeError } from '../api/words.ts';
import { saveBlob } from '../tasks/save-blob.ts';
import { Button } from '../ui/button.tsx';
import { showToast } from '../ui/toasts.ts';

/** With many pictures it takes its time. */
const timeoutMs = 900_000;

export function EvidenceDownload({ taskId }: { taskId: string }) {
  const [isBusy, setIsBusy] = useState(false);
  const save = async () => {
    setIsBusy(true);
    try {
      const response = await client.getTaskEvidence({ id: taskId }, { timeoutMs });
      saveBlob(await response.blob(), `evidence-${taskId}.ndjson`);
    } catch (error) {
      showToast(describeError(error), 'bad');
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <div className="flex min-w-0 flex-wrap items-center gap-3 px-4 py-3" data-testid="evidence">
      <Button size="sm" icon={FileCheck} isBusy={isBusy} onClick={() => void save()}>
        {isBusy ? 'Downloading evidence' : 'Download evidence'}
      </Button>
      <span className="min-w-0 text-12 text-ink-3">
        Everything recorded of this task, with its pictures, in one signed file.
      </span>
    </div>
  );
}
