// The newest kept picture of a session in a list. It is read again only when there is another one, and wakes no browser.

import type { ListedSession } from '@pilothouse/contract';
import { useQuery } from '@tanstack/react-query';
import { thumbnailQuery } from '../api/queries.ts';
import { PictureFrame } from './task-picture.tsx';

type SessionPictureProps = { session: Pick<ListedSession, 'id' | 'thumbnail'>; isHidden: boolean; className?: string };

export function SessionPicture({ session: { id, thumbnail }, isHidden, className }: SessionPictureProps) {
  const isKept = Boolean(thumbnail) && !isHidden && !thumbnail?.private;
  const { data } = useQuery({ ...thumbnailQuery(id, thumbnail?.frame_id ?? ''), enabled: isKept });
  return (
    <PictureFrame
      picture={isKept ? data : undefined}
      isHidden={isHidden || (thumbnail?.private ?? false)}
      className={className}
    />
  );
}
