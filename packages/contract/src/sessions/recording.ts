// Shapes of recordings.

import { z } from 'zod';
import { BrowserRoute, ImageType, Overlay } from '../tasks/view.ts';
import { Count } from '../types/count.ts';
import { Uuid7 } from '../types/id.ts';
import { Page } from '../types/query.ts';
import { TimeParam, Timestamp } from '../types/time.ts';
import { RecordedEvent } from './events.ts';

/** A recorded frame. A private frame has no path, and shows only that it existed. */
export const RecordedFrame = z
  .object({
    frame_id: Uuid7,
    task_id: Uuid7.nullable(),
    /** The step whose end it shows; null for a frame in between. */
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

/** One moment of a session. */
export const RecordingItem = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('frame'), recorded_at: Timestamp, frame: RecordedFrame }),
    z.object({ type: z.literal('overlay'), recorded_at: Timestamp, overlay: Overlay }),
    z.object({ type: z.literal('event'), recorded_at: Timestamp, event: RecordedEvent }),
  ])
  .meta({ id: 'RecordingItem' });
export type RecordingItem = z.infer<typeof RecordingItem>;

/**
 * Who drove in a part of a session's time: the agent; a person, of whose time no pictures are kept; a task waited for a
 * person; an attempt of the agent that failed or was cut off; no task was at work.
 */
export const RecordingBand = z
  .object({
    kind: z.enum(['agent', 'person', 'waiting', 'failed', 'idle']),
    from: Timestamp,
    /** Null while it goes on. */
    to: Timestamp.nullable(),
    task_id: Uuid7.nullable(),
    /** Of a failed attempt. */
    step_id: z.string().nullable(),
    /** Pictures of this time are not kept. */
    private: z.boolean(),
    /** The person who drove; null for other kinds. Absent only in answers of an earlier release. */
    held_by: z.string().nullable().optional(),
  })
  .meta({ id: 'RecordingBand' });
export type RecordingBand = z.infer<typeof RecordingBand>;

/** From this time on, and before that time. */
export const RecordingQuery = Page.extend({ from: TimeParam.optional(), to: TimeParam.optional() });
