// The page as one text for a model to read, words and handles together, and what the host knows of each handle. The facts
// are for policy: they are never part of the text.

import { z } from 'zod';
import { Box, OpenPage } from './observation.ts';
import { Dialog } from './reports.ts';

/** An element that the text names by its ref. The host says all of this; nothing of it is a claim of the page but its names. */
export const ViewHandle = z.object({
  ref: z.string(),
  role: z.string(),
  name: z.string(),
  tag: z.string(),
  /** Of an input or a button; null for everything else. */
  type: z.string().nullable(),
  /** The origin of the document it is in; `null` as text where that is opaque. */
  frame_origin: z.string(),
  /** Where a link leads; null for what is no link, or leads to no web address. */
  href_origin: z.string().nullable(),
  /** The form that it belongs to, with what the control itself says of action and method. */
  form: z.object({ action: z.string(), method: z.string() }).nullable(),
  /** A click on it sends its form. */
  submits: z.boolean(),
  /** A field for a password or a payment card. */
  secret: z.boolean(),
  download: z.boolean(),
  /** In CSS pixels of the viewport. */
  box: Box,
  is_in_view: z.boolean(),
});
export type ViewHandle = z.output<typeof ViewHandle>;

export const View = z.object({
  url: z.string(),
  title: z.string(),
  pages: z.array(OpenPage),
  dialog: Dialog.nullable(),
  /** Empty while a dialog of the page is open, or a person drives. */
  text: z.string(),
  /** The handles that this text names, in its order. */
  handles: z.array(ViewHandle),
  /** The same for two looks at a page that shows the same, wherever each of them begins. Also what `since` names. */
  shape_hash: z.string(),
  /** Where the text continues: `from` of the next request; null at its end. */
  next: z.int().positive().nullable(),
});
export type View = z.output<typeof View>;

/** One text holds at most this much, as estimated. */
export const maxViewTokens = 4000;
const bytesPerToken = 3.2;

/** What a text costs a model, without its tokenizer. */
export const estimateTokens = (text: string): number => Math.ceil(Buffer.byteLength(text) / bytesPerToken);
