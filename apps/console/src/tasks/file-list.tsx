// The files of a task. They are always saved, never shown: a page must not bring its own into the console.

import { Download } from 'lucide-react';
import { client } from '../api/login.ts';
import { describeError } from '../api/words.ts';
import type { TaskResult } from '../live/api-types.ts';
import { Button } from '../ui/button.tsx';
import { showName, toFileName } from '../ui/shown-name.ts';
import { showToast } from '../ui/toasts.ts';
import { saveBlob } from './save-blob.ts';

export function FileList({ files, taskId }: { files: TaskResult['files']; taskId: string }) {
  if (files.length === 0) return null;
  return (
    <ul className="mt-4 grid gap-2" data-testid="files">
      {files.map((file) => (
        <li key={file.file_id} className="flex min-w-0 items-center gap-3 rounded-2 bg-bg px-3 py-2">
          <bdi className="min-w-0 flex-1 font-medium wrap-anywhere">{showName(file.name)}</bdi>
          <span className="shrink-0 text-12 text-ink-3 tabular-nums">{describeBytes(file.byte_len)}</span>
          <Button size="sm" icon={Download} onClick={() => void saveFile(taskId, file)}>
            Save
          </Button>
        </li>
      ))}
    </ul>
  );
}

async function saveFile(taskId: string, { file_id, name }: TaskResult['files'][number]): Promise<void> {
  try {
    const response = await client.getTaskFile({ id: taskId, file_id });
    saveBlob(await response.blob(), toFileName(name));
  } catch (error) {
    showToast(describeError(error), 'bad');
  }
}

const describeBytes = (count: number): string =>
  count < 1024
    ? `${count} B`
    : count < 1_048_576
      ? `${(count / 1024).toFixed(1)} KiB`
      : `${(count / 1_048_576).toFixed(1)} MiB`;
