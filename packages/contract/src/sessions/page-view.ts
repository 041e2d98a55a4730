// The page in front of a session as one text, for a program that decides what to do next. All words in it are of the page.

import { z } from 'zod';
import { Count } from '../types/count.ts';

/**
 * The text names elements by refs, such as `[e4 button "Remove"]`, which a step may name as its target until the page loads
 * another document. Password and card fields are dots in it.
 */
export const PageView = z
  .object({
    url: z.string(),
    title: z.string(),
    /** All open tabs. `page` is what `focus page` and `close page` of a script name. */
    pages: z.array(z.object({ page: z.string(), url: z.string(), title: z.string(), active: z.boolean() })),
    /** While one is open, there is no text. */
    dialog: z
      .object({
        kind: z.enum(['alert', 'confirm', 'prompt', 'beforeunload']),
        message: z.string(),
        default_value: z.string(),
      })
      .nullable(),
    text: z.string(),
    /** Where a long text goes on: `from` of the next request; null at its end. */
    next: Count.nullable(),
  })
  .meta({ id: 'PageView' });
export type PageView = z.infer<typeof PageView>;
