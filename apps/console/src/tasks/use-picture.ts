// Pictures of observations, read with the login and kept as addresses of this page; the last sixty stay.

import { useEffect, useState } from 'react';
import { client } from '../api/login.ts';

const maxKept = 60;
const kept = new Map<string, Promise<string | undefined>>();

async function read(taskId: string, observationId: string): Promise<string | undefined> {
  const response = await client.getObservationImage({ id: taskId, observation_id: observationId });
  return URL.createObjectURL(await response.blob());
}

/** A picture that could not be read is asked for again when it is next shown. */
function forget(observationId: string): undefined {
  kept.delete(observationId);
}

function pictureOf(taskId: string, observationId: string): Promise<string | undefined> {
  const known = kept.get(observationId);
  kept.delete(observationId);
  const picture = known ?? read(taskId, observationId).catch(() => forget(observationId));
  kept.set(observationId, picture);
  const [oldest] = kept;
  if (kept.size > maxKept && oldest) {
    kept.delete(oldest[0]);
    void oldest[1].then((url) => url && URL.revokeObjectURL(url));
  }
  return picture;
}

/** The address of the picture; undefined until it is read, and where it is gone. */
export function usePicture(taskId: string | undefined, observationId: string | undefined): string | undefined {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    if (!taskId || !observationId) return;
    let isWanted = true;
    void pictureOf(taskId, observationId).then((next) => isWanted && setUrl(next));
    return () => {
      isWanted = false;
    };
  }, [taskId, observationId]);
  return url;
}
