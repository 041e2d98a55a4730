import { z } from 'zod';
import { Count } from './count.ts';
import { Uuid7 } from './id.ts';
import { JsonObject } from './json.ts';
import { Timestamp } from './time.ts';

// What a viewer sees of a browser: where it is, its picture, and what is drawn on top.

/** Where in the browser: `page` is the id of a tab. Nulls while there is no browser. */
export const BrowserRoute = z
  .object({
    session: Uuid7,
    page: z.string().nullable(),
    frame: z.string().nullable(),
    url: z.string().nullable(),
    title: z.string().nullable(),
  })
  .meta({ id: 'Route' });
export type BrowserRoute = z.infer<typeof BrowserRoute>;

export const ImageType = z.enum(['image/jpeg', 'image/png']);

export const Frame = z
  .object({
    frame_id: Uuid7,
    session_id: Uuid7,
    task_id: Uuid7.nullable(),
    seq: Count,
    recorded_at: Timestamp,
    content_type: ImageType,
    width: Count,
    height: Count,
    device_scale: z.number(),
    screenshot_base64: z.string(),
    route: BrowserRoute,
    /** Never shown through a share. */
    private: z.boolean(),
  })
  .meta({ id: 'Frame' });
export type Frame = z.infer<typeof Frame>;

/** Drawn over the frame, never into the page. Coordinates are CSS pixels of the frame's viewport. */
export const Overlay = z
  .object({
    overlay_id: z.string(),
    session_id: Uuid7,
    task_id: Uuid7.nullable(),
    step_id: z.string().nullable(),
    seq: Count,
    recorded_at: Timestamp,
    source: z.enum(['plan', 'execution', 'human']),
    kind: z.enum(['box', 'click', 'type', 'scroll', 'navigate', 'note']),
    label: z.string(),
    bbox: z.object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() }).nullable(),
    point: z.object({ x: z.number(), y: z.number() }).nullable(),
    data: JsonObject,
  })
  .meta({ id: 'Overlay' });
export type Overlay = z.infer<typeof Overlay>;
