// The saved state of a browser, and how a host sends it to agents for storage.

import { z } from 'zod';
import { json } from '../wire/codec.ts';
import { defineRequest } from '../wire/define.ts';
import { askersOf, subjects } from '../wire/subjects.ts';
import { BusId, Epoch } from './heartbeat.ts';

/** The state from which a browser is restored: cookies and storage as Playwright saves them, and the open tabs. */
export const SavedState = z.object({
  storage: z.record(z.string(), z.unknown()),
  pages: z.array(
    z.object({
      url: z.string(),
      scroll_x: z.number(),
      scroll_y: z.number(),
      /** The tab's session storage, by origin. */
      session_storage: z.record(z.string(), z.record(z.string(), z.string())).default({}),
    }),
  ),
});
export type SavedState = z.output<typeof SavedState>;

export const Checkpoint = z.object({ session_id: BusId, epoch: Epoch, state: SavedState });
export type Checkpoint = z.output<typeof Checkpoint>;

/** An agent replies when the state is stored, or is no longer needed. */
export const checkpoint = defineRequest({
  name: 'checkpoint',
  subject: subjects.checkpoint,
  askers: askersOf(subjects.checkpoint),
  request: json(Checkpoint),
  reply: json(z.object({ is_kept: z.boolean() })),
  claims: ({ session_id }) => ({ session_id }),
});
