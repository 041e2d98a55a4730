// What brings a browser back, and how a host hands it to agents for keeping.

import { z } from 'zod';
import { json } from './codec.ts';
import { defineRequest } from './define.ts';
import { BusId, Epoch } from './heartbeat.ts';
import { hostUser, subjects } from './subjects.ts';

/** All that brings a browser back: cookies and storage as the browser library saves them, and the open tabs. */
export const SavedState = z.object({
  storage: z.record(z.string(), z.unknown()),
  pages: z.array(
    z.object({
      url: z.string(),
      scroll_x: z.number(),
      scroll_y: z.number(),
      /** What the tab keeps for its own time, by origin. */
      session_storage: z.record(z.string(), z.record(z.string(), z.string())).default({}),
    }),
  ),
});
export type SavedState = z.output<typeof SavedState>;

export const Checkpoint = z.object({ session_id: BusId, epoch: Epoch, state: SavedState });
export type Checkpoint = z.output<typeof Checkpoint>;

/** Answered when the state is kept, or when nobody wants it any more. */
export const checkpoint = defineRequest({
  name: 'checkpoint',
  subject: subjects.checkpoint,
  askers: ({ host_id }) => [hostUser(host_id)],
  request: json(Checkpoint),
  reply: json(z.object({ is_kept: z.boolean() })),
  claims: ({ session_id }) => ({ session_id }),
});
