// Recorded pictures for the hover of the time axis, read with the login; the last sixty stay.

import { useEffect, useState } from 'react';
import { client } from '../api/login.ts';
import { createPictureCache } from '../tasks/picture-cache.ts';

const cache = createPictureCache({
  most: 60,
  read: async (key) => {
    const [id = '', frame_id = ''] = key.split(' ');
    return (await client.getRecordedFrame({ id, frame_id })).blob();
  },
  create: (blob) => URL.createObjectURL(blob),
  revoke: (url) => URL.revokeObjectURL(url),
});

/** A pointer that only passes by reads nothing. */
const restMs = 60;

/** The address of the picture; the one before it until it is read, undefined where it cannot be. */
export function useRecordedPicture(sessionId: string, frameId: string | undefined): string | undefined {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    if (!frameId) return setUrl(undefined);
    let isWanted = true;
    const show = (next: string | undefined) => {
      if (isWanted) setUrl(next);
    };
    let letGo = () => {};
    const timer = setTimeout(() => {
      const held = cache.hold(`${sessionId} ${frameId}`);
      letGo = held.letGo;
      held.picture.then(show, () => show(undefined));
    }, restMs);
    return () => {
      isWanted = false;
      clearTimeout(timer);
      letGo();
    };
  }, [sessionId, frameId]);
  return url;
}
