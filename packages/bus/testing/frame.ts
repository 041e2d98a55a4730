import { randomBytes } from 'node:crypto';
import type { Frame } from '../src/index.ts';

/** A frame with random bytes for a picture. */
export function sampleFrame({ seq = 1, sessionId = 's1', imageBytes = 64 } = {}): Frame {
  return {
    header: {
      frame_id: `01a1dd00-0000-7000-8000-${String(seq).padStart(12, '0')}`,
      session_id: sessionId,
      epoch: 1,
      seq,
      recorded_at: '2026-01-02T03:04:05.678Z',
      content_type: 'image/jpeg',
      width: 1280,
      height: 720,
      device_scale: 1,
      scroll: { x: 0, y: 12.5 },
      page: 'p1',
      url: 'http://localhost/ä',
      title: 'A page',
      private: false,
    },
    image: randomBytes(imageBytes),
  };
}
