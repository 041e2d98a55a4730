// What a viewer sees of a browser: its route, its picture, and overlays.

import { z } from 'zod';
import { Count } from '../types/count.ts';
import { Uuid7 } from '../types/id.ts';
import { JsonObject } from '../types/json.ts';
import { Timestamp } from '../types/time.ts';

/** Where the browser is: `page` is the id of a tab. Null while there is no browser. */
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

/**
 * Why a page does not show what was asked of it, until its next document: it crashed, or its address may not be reached
 * from there. `target` is the host and port that was refused, `reason` a word for why, such as `private_address`.
 */
export const PageTrouble = z
  .object({ kind: z.enum(['crashed', 'refused']), target: z.string().nullable(), reason: z.string().nullable() })
  .meta({ id: 'PageTrouble' });
export type PageTrouble = z.infer<typeof PageTrouble>;

/** One open tab. `active`: it is in front; absent where that was not recorded. */
export const OpenPage = BrowserRoute.extend({
  active: z.boolean().optional(),
  /** A tab of the person who drives, which no program of the session sees. */
  private_tab: z.boolean().optional(),
  /** A program is connected to the session and can read this page, and what is typed into it. */
  open_to_program: z.boolean().optional(),
  trouble: PageTrouble.optional(),
}).meta({ id: 'OpenPage' });
export type OpenPage = z.infer<typeof OpenPage>;

export const ImageType = z.enum(['image/jpeg', 'image/png']);

/**
 * Why a frame is private: a person drives; a password or card field that a step or a person touched has the focus; the
 * page cannot be covered with dots yet; a person typed where no dots can cover it.
 */
export const PrivateReason = z.enum(['driven', 'secret_field', 'page_not_masked', 'unknown_keys']);
export type PrivateReason = z.infer<typeof PrivateReason>;

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
    /** Only if `private` is true and the reason is known. The owner sees a `secret_field` frame, with dots. */
    private_reason: PrivateReason.optional(),
    /** True while a script of the page keeps the focus in a password or card field, which is drawn as dots. */
    focuses_secret_field: z.boolean().optional(),
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
