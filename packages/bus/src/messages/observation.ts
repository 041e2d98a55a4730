// An observation of the page, for deciding the next step.

import { z } from 'zod';
import { Dialog } from './reports.ts';

export const Box = z.object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() });
export type Box = z.output<typeof Box>;

/** An element that can be acted on. `ref` names it in a target until the page loads another document. */
export const OutlineItem = z.object({
  ref: z.string(),
  role: z.string(),
  name: z.string(),
  /** Absent if there is none; masked if it is secret. */
  value: z.string().optional(),
  states: z.array(z.string()),
  /** In CSS pixels of the viewport. */
  box: Box,
  is_in_view: z.boolean(),
});
export type OutlineItem = z.output<typeof OutlineItem>;

export const maxOutlineChars = 12_000;

/** The item as a line of text. */
export function lineOf({ ref, role, name, value, states, box, is_in_view }: OutlineItem): string {
  const at = [box.x, box.y, box.width, box.height].map(Math.round).join(',');
  const parts = [ref, role, JSON.stringify(name)];
  if (value !== undefined) parts.push(`= ${JSON.stringify(value)}`);
  if (states.length > 0) parts.push(`[${states.join(' ')}]`);
  return [...parts, `(${at})`, ...(is_in_view ? [] : ['out of view'])].join(' ');
}

export const OpenPage = z.object({ page: z.string(), url: z.string(), title: z.string(), is_front: z.boolean() });
export type OpenPage = z.output<typeof OpenPage>;

export const Observation = z.object({
  url: z.string(),
  title: z.string(),
  pages: z.array(OpenPage),
  dialog: Dialog.nullable(),
  /** Elements in view come first. Their lines have at most maxOutlineChars together. */
  outline: z.array(OutlineItem),
  /** Where the outline continues: `from` of the next request; null at its end. */
  next: z.int().positive().nullable(),
  /** The visible text of the page; null if it was not requested. */
  text: z.string().nullable(),
});
export type Observation = z.output<typeof Observation>;
