// Makes a frame of each shot: the picture, and the header that viewers and recordings need. Never after the session
// has closed.

import type { Frame } from '@pilothouse/bus';
import { newId } from '../common/id.ts';
import type { PageLocation, Pages } from '../pages/pages.ts';
import type { Privacy } from './privacy.ts';
import type { Shot } from './screenshot.ts';

type Options = {
  sessionId: string;
  pages: Pick<Pages, 'id'>;
  privacy: Pick<Privacy, 'focusesSecretField'>;
  epoch: () => number;
  /** Aborted when the session closes. */
  signal: AbortSignal;
  onFrame: (frame: Frame) => void;
};

/** Returns a function that makes a frame of a shot and returns the id of the frame. */
export function createFramePublisher(options: Options): (shot: Shot, place: PageLocation) => string | undefined {
  const { sessionId, pages, privacy, epoch, signal, onFrame } = options;
  let count = 0;
  return (shot, place) => {
    if (signal.aborted) return undefined;
    count += 1;
    const frameId = newId();
    const { page, image, width, height, scroll, privateReason } = shot;
    onFrame({
      header: {
        frame_id: frameId,
        recorded_at: new Date().toISOString(),
        content_type: 'image/jpeg',
        width,
        height,
        device_scale: 1,
        scroll,
        page: pages.id(page),
        ...place,
        private: privateReason !== undefined,
        private_reason: privateReason,
        focuses_secret_field: privacy.focusesSecretField(page) || undefined,
        session_id: sessionId,
        epoch: shot.epoch ?? epoch(),
        seq: count,
      },
      image,
    });
    return frameId;
  };
}
