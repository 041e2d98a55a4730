import { z } from 'zod';
import { Count } from './count.ts';
import { RecordedEvent } from './events.ts';
import { Uuid7 } from './id.ts';
import { Page } from './query.ts';
import { TimeParam, Timestamp } from './time.ts';
import { BrowserRoute, ImageType, Overlay } from './view.ts';

/** A frame that was kept. One that is private has no path: that it was there is all that is said of it. */
export const RecordedFrame = z
  .object({
    frame_id: Uuid7,
    task_id: Uuid7.nullable(),
    /** Of the step whose end it shows; null for one that was kept in between. */
    step_id: z.string().nullable(),
    recorded_at: Timestamp,
    content_type: ImageType,
    width: Count,
    height: Count,
    route: BrowserRoute,
    private: z.boolean(),
    path: z.string().nullable(),
  })
  .meta({ id: 'RecordedFrame' });
export type RecordedFrame = z.infer<typeof RecordedFrame>;

/** A moment of a session that is over, or still goes on. */
export const RecordingItem = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('frame'), recorded_at: Timestamp, frame: RecordedFrame }),
    z.object({ type: z.literal('overlay'), recorded_at: Timestamp, overlay: Overlay }),
    z.object({ type: z.literal('event'), recorded_at: Timestamp, event: RecordedEvent }),
  ])
  .meta({ id: 'RecordingItem' });
export type RecordingItem = z.infer<typeof RecordingItem>;

/** From the one moment on, and until just before the other. */
export const RecordingQuery = Page.extend({ from: TimeParam.optional(), to: TimeParam.optional() });
