import { z } from 'zod';
import { LiveEvent } from './events.ts';
import { Uuid7 } from './id.ts';
import { Page } from './query.ts';
import { Evidence } from './task.ts';
import { TimeParam, Timestamp } from './time.ts';
import { Overlay } from './view.ts';

/** A moment of a session that is over, or still goes on: pictures, overlays and events on one time axis. */
export const RecordingItem = z
  .discriminatedUnion('kind', [
    z.object({
      kind: z.literal('frame'),
      recorded_at: Timestamp,
      frame: Evidence.omit({ label: true, recorded_at: true }).extend({ task_id: Uuid7 }),
    }),
    z.object({ kind: z.literal('overlay'), recorded_at: Timestamp, overlay: Overlay }),
    z.object({ kind: z.literal('event'), recorded_at: Timestamp, event: LiveEvent }),
  ])
  .meta({ id: 'RecordingItem' });
export type RecordingItem = z.infer<typeof RecordingItem>;

export const RecordingQuery = Page.extend({ from: TimeParam.optional(), to: TimeParam.optional() });
