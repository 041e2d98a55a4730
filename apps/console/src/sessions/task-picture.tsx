// The newest picture of a task that waits for a person. It never wakes a browser.

import { useQuery } from '@tanstack/react-query';
import { EyeOff, Image } from 'lucide-react';
import { useEffect, useState } from 'react';
import { pictureQuery } from '../api/queries.ts';
import { cx } from '../ui/class-names.ts';

type TaskPictureProps = { taskId: string; className?: string };

/** A decoration beside words that say the same: it has no name of its own. */
export function TaskPicture({ taskId, className }: TaskPictureProps) {
  const { data } = useQuery(pictureQuery(taskId));
  return <PictureFrame picture={data} isHidden={false} className={className} />;
}

type PictureFrameProps = { picture: Blob | undefined; isHidden: boolean; className?: string };

export function PictureFrame({ picture, isHidden, className }: PictureFrameProps) {
  const url = useObjectUrl(picture);
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
