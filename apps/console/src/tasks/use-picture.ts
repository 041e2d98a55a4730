// Pictures of observations, read with the login and kept as addresses of this page; what is shown and the last sixty stay.

import { useEffect, useState } from 'react';
import { client } from '../api/login.ts';
import { createPictureCache } from './picture-cache.ts';

const cache = createPictureCache({
  most: 60,
  read: async (key) => {
    const [id = '', observation_id = ''] = key.split(' ');
    return (await client.getObservationImage({ id, observation_id })).blob();
  },
  create: (blob) => URL.createObjectURL(blob),
  revoke: (url) => URL.revokeObjectURL(url),
});

/** The address of the picture; undefined until it is read, and where it is gone. */
export function usePicture(taskId: string | undefined, observationId: string | undefined): string | undefined {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    if (!taskId || !observationId) return;
    let isWanted = true;
    const show = (next: string | undefined) => {
      if (isWanted) setUrl(next);
    };
    const { picture, letGo } = cache.hold(`${taskId} ${observationId}`);
    picture.then(show, () => show(undefined));
    return () => {
      isWanted = false;
      letGo();
    };
  }, [taskId, observationId]);
  return url;
}
