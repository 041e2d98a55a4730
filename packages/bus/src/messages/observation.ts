// A look at the page as somebody needs it who has to decide what to do next.

import { z } from 'zod';
import { Dialog } from './reports.ts';

export const Box = z.object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() });
export type Box = z.output<typeof Box>;

/** One thing on the page that can be acted on. `ref` names it in a target until the page loads another document. */
export const OutlineItem = z.object({
  ref: z.string(),
  role: z.string(),
  name: z.string(),
  /** Absent where there is none; masked where it is secret. */
  value: z.string().optional(),
  states: z.array(z.string()),
  /** In CSS pixels of the viewport. */
  box: Box,
  is_in_view: z.boolean(),
});
export type OutlineItem = z.output<typeof OutlineItem>;

export const MAX_OUTLINE_CHARS = 12_000;

/** The line a reader sees of an item. */
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
  /** What is in view comes first. Its lines together keep to MAX_OUTLINE_CHARS. */
  outline: z.array(OutlineItem),
  /** Where the outline goes on: `from` of the next look; null where this is all. */
  next: z.int().positive().nullable(),
  /** What a person could read on the page; null where nobody asked. */
  text: z.string().nullable(),
});
export type Observation = z.output<typeof Observation>;
