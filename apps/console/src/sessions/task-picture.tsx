// The newest picture of a task. It is only read again when the task has moved on, and never wakes a browser.

import type { TaskSummary } from '@pilothouse/contract';
import { useQuery } from '@tanstack/react-query';
import { EyeOff, Image } from 'lucide-react';
import { useEffect, useState } from 'react';
import { pictureQuery } from '../api/queries.ts';
import { cx } from '../ui/class-names.ts';

type TaskPictureProps = {
  taskId: string | null;
  task?: Pick<TaskSummary, 'status' | 'current_step'>;
  isHidden?: boolean;
  className?: string;
};

/** A decoration beside words that say the same: it has no name of its own. */
export function TaskPicture({ taskId, task, isHidden = false, className }: TaskPictureProps) {
  const version = task ? `${task.status} ${task.current_step}` : '';
  const { data } = useQuery({ ...pictureQuery(taskId ?? '', version), enabled: taskId !== null && !isHidden });
  const url = useObjectUrl(isHidden ? undefined : data);
  const Icon = isHidden ? EyeOff : Image;
  return (
    <span className={cx('grid place-items-center overflow-hidden bg-sunken text-ink-3', className)}>
      {url ? (
        <img src={url} alt="" className="size-full object-cover object-top" />
      ) : (
        <Icon size={20} strokeWidth={1.5} aria-hidden />
      )}
    </span>
  );
}

function useObjectUrl(blob: Blob | undefined): string | undefined {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    if (!blob) return setUrl(undefined);
    const made = URL.createObjectURL(blob);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [blob]);
  return url;
}
